import { resolveTemplateContent } from '../templates/resolve-template-content.js';
import type { AcceptContext } from './accept-context.js';
import type { NewEmail } from './new-email.js';
import type { RequestedContent } from './send-request.js';

/**
 * Returns raw content as it was sent. For a template, it pins the current version, adds its defaults to the variables
 * and renders the subject; the worker renders html and text.
 * @throws Refusal template_not_found, missing_template_variables, validation_failed
 */
export async function resolveContent(
  ctx: Pick<AcceptContext, 'db' | 'findCurrentVersion' | 'templates'>,
  workspaceId: string,
  content: RequestedContent,
): Promise<Pick<NewEmail, 'subject' | 'html' | 'text' | 'template'>> {
  if (content.kind === 'raw') {
    return { subject: content.subject, html: content.html, text: content.text, template: null };
  }
  const resolved = await resolveTemplateContent(ctx, workspaceId, content.templateId, content.vars);
  const { subject, template, vars } = resolved;
  return { subject, html: null, text: null, template: { ...template, vars } };
}
