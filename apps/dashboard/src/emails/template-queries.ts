import type { List, Template } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { get } from '../api/request';

type TemplateName = Pick<Template, 'id' | 'name'>;

/** Every template of the workspace, to choose one from. */
export const templateNamesQuery = queryOptions({
  queryKey: ['templates', 'names'],
  async queryFn() {
    const names: TemplateName[] = [];
    let after: string | null = null;
    do {
      const page: List<Template> = await get(`/api/v1/templates${queryString({ limit: 100, after })}`);
      names.push(...page.data.map(({ id, name }) => ({ id, name })));
      after = page.next_cursor;
    } while (after !== null);
    return names;
  },
  staleTime: 60_000,
});

export function templateNameQuery(id: string) {
  return queryOptions({
    queryKey: ['templates', 'name', id],
    queryFn: async (): Promise<TemplateName> => {
      const { name } = await get<Template>(`/api/v1/templates/${id}`);
      return { id, name };
    },
    staleTime: 60_000,
  });
}
