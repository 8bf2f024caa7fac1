import type { TemplateTexts } from '@posthorn/contract';

/** Unsaved changes. `version` is the version that was edited; null for a new template. */
export type Draft = { readonly version: number | null; readonly fields: TemplateTexts };

/** Includes the user, because the next login in this tab may be someone else's. */
export function draftKey(userId: string, templateId: string): string {
  return `posthorn-draft-${userId}-${templateId}`;
}

/** Session storage keeps the draft until the tab closes. */
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
