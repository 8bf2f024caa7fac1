import { resolveTemplateContent } from '../templates/resolve-template-content.js';
import type { AcceptContext } from './accept-context.js';
import type { SizedContent } from './message-size.js';
import type { NewEmail } from './new-email.js';
import type { RequestedContent } from './send-request.js';

export type ResolvedContent = SizedContent & {
  readonly template: NewEmail['template'];
  /** Of html and text together. For a template, its length in bytes, which is never less than that in characters. */
  readonly characters: number;
};

/**
 * Returns raw content as it was sent. For a template, it pins the current version, adds its defaults to the variables
 * and renders the subject; the worker renders html and text.
 * @throws Refusal template_not_found, missing_template_variables, validation_failed
 */
export async function resolveContent(
  ctx: Pick<AcceptContext, 'db' | 'findCurrentVersion' | 'templates'>,
  workspaceId: string,
  content: RequestedContent,
): Promise<ResolvedContent> {
  if (content.kind === 'raw') {
    const { subject, html, text } = content;
    return { subject, html, text, template: null, source: null, characters: charactersOf(html, text) };
  }
  const resolved = await resolveTemplateContent(ctx, workspaceId, content.templateId, content.vars);
  const { subject, template, vars, parts, bytes } = resolved;
  const source = { parts, vars };
  return { subject, html: null, text: null, template: { ...template, vars }, source, characters: bytes };
}

/** How many characters html and text have together. */
export function charactersOf(html: string | null, text: string | null): number {
  return (html?.length ?? 0) + (text?.length ?? 0);
}
