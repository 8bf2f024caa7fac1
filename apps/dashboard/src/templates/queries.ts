import type { List, Template, TemplateVersion, TemplateVersionSummary } from '@posthorn/contract';
import { queryOptions } from '@tanstack/react-query';
import { queryString } from '../api/query-string';
import { get } from '../api/request';
import type { Cursor } from '../ui/cursor';
import type { TemplatesSearch } from './templates-search';

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
