import type { List, Template } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { get } from '../api/request';
import { templatesKey, templatesPath } from '../templates/queries';

type TemplateName = Pick<Template, 'id' | 'name'>;

/** The names of all templates in the workspace. */
export const templateNamesQuery = queryOptions({
  queryKey: [...templatesKey, 'names'],
  async queryFn() {
    const names: TemplateName[] = [];
    let after: string | null = null;
    do {
      const page: List<Template> = await get(`${templatesPath}${queryString({ limit: 100, after })}`);
      names.push(...page.data.map(({ id, name }) => ({ id, name })));
      after = page.next_cursor;
    } while (after !== null);
    return names;
  },
  staleTime: 60_000,
});
