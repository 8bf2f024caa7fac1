import type { List, Template, TemplateVersion, TemplateVersionSummary } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { get, getAll, toPath, toQueryString } from '../api/request';
import { type Cursor, cursor, oneOf, readSearch, text } from '../ui/search';

export const templatesPath = '/api/v1/templates';

export const templatesKey = ['templates'];

export const templatesQuery = ({ after, before, name }: TemplatesSearch) =>
  queryOptions({
    queryKey: [...templatesKey, 'list', after, before, name],
    queryFn: () => get<List<Template>>(`${templatesPath}${toQueryString({ after, before, name })}`),
  });

export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: [...templatesKey, id],
    queryFn: () => get<Template>(toPath(templatesPath, id)),
  });

export const versionsQuery = (id: string, { after, before }: Cursor) =>
  queryOptions({
    queryKey: [...templatesKey, id, 'versions', after, before],
    queryFn: () =>
      get<List<TemplateVersionSummary>>(`${toPath(templatesPath, id)}/versions${toQueryString({ after, before })}`),
  });

/** A version never changes. */
export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['template-version', id, version],
    queryFn: () => get<TemplateVersion>(`${toPath(templatesPath, id)}/versions/${version}`),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const readTemplatesSearch = readSearch({ ...cursor, name: text });

export type TemplatesSearch = ReturnType<typeof readTemplatesSearch>;

/** Without `version`, the current version is shown. Without `against`, it is compared with the previous one. */
export const readVersionsSearch = readSearch({
  ...cursor,
  version: (value) => (/^[1-9]\d{0,8}$/.test(String(value)) ? String(value) : undefined),
  against: oneOf('current'),
});

export const templateNamesQuery = queryOptions({
  queryKey: [...templatesKey, 'names'],
  queryFn: async () => (await getAll<Template>(templatesPath)).map(({ id, name }) => ({ id, name })),
  staleTime: 60_000,
});
