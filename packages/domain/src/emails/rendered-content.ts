import { findUnsubscribeUrl, withLink } from '@posthorn/domain/links';
import { findTemplateVersion, renderContent, type TemplateReader, type TemplateVars } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import type { EmailDetail, StoredContent } from './email.js';

/**
 * The content of an email. For an email from a template, that is the rendered html and text, as the recipient sees them.
 * Raw content is returned as it was sent, without the link for unsubscribing: someone who sends it again to another
 * recipient must not send this recipient's link.
 */
export async function renderedContent(
  ctx: TemplateReader & Pick<Context, 'config'>,
  workspaceId: string,
  email: EmailDetail,
): Promise<StoredContent | null> {
  const { content, templateId, templateVersion } = email;
  if (content === null || templateId === null || templateVersion === null) return content;
  const version = await findTemplateVersion(ctx, workspaceId, templateId, templateVersion);
  if (!version) return content;
  const vars = (content.templateVars ?? {}) as TemplateVars;
  const link = findUnsubscribeUrl(ctx.config, { ...email, workspaceId });
  return { ...content, ...renderContent(version, withLink(vars, link)) };
}
