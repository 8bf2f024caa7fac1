import type { CreateTemplateRequest } from '@posthorn/contract';

/** What was typed over a version; null over nothing. */
export type Draft = { readonly version: number | null; readonly fields: CreateTemplateRequest };

/** Of one person, for the next to log in here may be another. */
export function draftKey(userId: string, templateId: string): string {
  return `posthorn-draft-${userId}-${templateId}`;
}

/** For as long as this tab is open. */
export function saveDraft(key: string, draft: Draft): void {
  sessionStorage.setItem(key, JSON.stringify(draft));
}

export function readDraft(key: string): Draft | null {
  const stored = sessionStorage.getItem(key);
  return stored === null ? null : (JSON.parse(stored) as Draft);
}

export function deleteDraft(key: string): void {
  sessionStorage.removeItem(key);
}
