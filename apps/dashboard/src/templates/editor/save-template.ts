import type { CreateTemplateRequest, Template } from '@posthorn/contract';
import { get, request } from '../../api/request';
import { templatePath, templatesPath } from '../queries';
import { openConflictDialog } from './open-conflict-dialog';

/** `loaded`: the template was not saved, for somebody else's version was wanted instead. */
export type SaveResult = { readonly outcome: 'saved' | 'loaded'; readonly template: Template };

/**
 * Saves what was typed on top of the version it was typed over; asks first where there is a newer one.
 * @param base null for a template that is not there yet
 * @returns null when the person would rather decide later
 * @throws ApiError with the faults of the fields
 */
export async function saveTemplate(base: Template | null, fields: CreateTemplateRequest): Promise<SaveResult | null> {
  if (base === null) return { outcome: 'saved', template: await request<Template>('POST', templatesPath, fields) };
  const path = templatePath(base.id);
  const stored = await get<Template>(path);
  if (stored.version !== base.version) {
    const choice = await openConflictDialog(stored.version);
    if (choice === null) return null;
    if (choice === 'theirs') return { outcome: 'loaded', template: stored };
  }
  return { outcome: 'saved', template: await request<Template>('PATCH', path, fields) };
}
