import type { Context } from '../context.js';
import { findTemplateVersion, type TemplateReader } from '../templates/find-template-version.js';
import { renderContent } from '../templates/render-content.js';
import type { TemplateVars } from '../templates/template-variables.js';
import { unsubscribeUrlOf, withLink, withUnsubscribeUrl } from '../unsubscribe-links/unsubscribe-url.js';
import type { EmailDetail, StoredContent } from './email.js';

/**
 * The content as recipients see it: with the link for unsubscribing, and for an email from a template, the rendered html
 * and text.
 */
export async function renderedContent(
  ctx: TemplateReader & Pick<Context, 'config'>,
  workspaceId: string,
  email: EmailDetail,
): Promise<StoredContent | null> {
  const { content, templateId, templateVersion } = email;
  if (content === null) return null;
  const url = unsubscribeUrlOf(ctx.config, { ...email, workspaceId });
  if (templateId === null || templateVersion === null)
    return url === null ? content : { ...content, ...withUnsubscribeUrl(content, url) };
  const version = await findTemplateVersion(ctx, workspaceId, templateId, templateVersion);
  const vars = (content.templateVars ?? {}) as TemplateVars;
  return version ? { ...content, ...renderContent(version, withLink(vars, url)) } : content;
}
