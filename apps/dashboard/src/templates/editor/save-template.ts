import type { Template, TemplateTexts } from '@posthorn/contract';
import { get, request } from '../../api/request';
import { templatePath, templatesPath } from '../queries';
import { openConflictDialog } from './open-conflict-dialog';

/** `loaded`: nothing was saved, because the user chose to load the newer version. */
export type SaveResult = { readonly outcome: 'saved' | 'loaded'; readonly template: Template };

/**
 * Saves a new version. Asks first if there is a version newer than `base`.
 * @param base the version being edited; null for a new template
 * @returns null if the user closed the dialog
 * @throws ApiError with the field errors
 */
export async function saveTemplate(base: Template | null, fields: TemplateTexts): Promise<SaveResult | null> {
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
