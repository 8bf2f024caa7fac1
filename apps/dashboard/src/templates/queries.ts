import type { List, Template, TemplateVersion, TemplateVersionSummary } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get, queryString } from '../api/request';
import { type Cursor, readCursor } from '../ui/cursor';

export const templatesPath = '/api/v1/templates';

export function templatePath(id: string): string {
  return `${templatesPath}/${encodeURIComponent(id)}`;
}

/** The prefix of all template queries. Invalidate it after changing a template. */
export const templatesKey = ['templates'];

export const templatesQuery = ({ after, before, name }: TemplatesSearch) =>
  queryOptions({
    queryKey: [...templatesKey, 'list', after, before, name],
    queryFn: () => get<List<Template>>(`${templatesPath}${queryString({ after, before, name })}`),
  });

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: [...templatesKey, id],
    queryFn: () => get<Template>(templatePath(id)),
  });

export const versionsQuery = (id: string, { after, before }: Cursor) =>
  queryOptions({
    queryKey: [...templatesKey, id, 'versions', after, before],
    queryFn: () => get<List<TemplateVersionSummary>>(`${templatePath(id)}/versions${queryString({ after, before })}`),
  });

/** A version never changes. */
export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['template-version', id, version],
    queryFn: () => get<TemplateVersion>(`${templatePath(id)}/versions/${version}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The position in the list and the part of a name to search for, as in the URL. */
export type TemplatesSearch = Cursor & { readonly name?: string | undefined };

export function readTemplatesSearch({ name, ...rest }: Record<string, unknown>): TemplatesSearch {
  return { ...readCursor(rest), ...(typeof name === 'string' && name !== '' && { name }) };
}

/** Without `version`, the current version is shown. Without `against`, it is compared with the previous one. */
type VersionsSearch = Cursor & { version?: string | undefined; against?: 'current' | undefined };

export function readVersionsSearch(search: Record<string, unknown>): VersionsSearch {
  const { version, against } = search;
  return {
    ...readCursor(search),
    version: typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version) ? version : undefined,
    against: against === 'current' ? against : undefined,
  };
}

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
