import { findTemplateVersion, type TemplateReader } from '../templates/find-template-version.js';
import { renderContent } from '../templates/render-content.js';
import type { TemplateVars } from '../templates/template-variables.js';
import type { EmailDetail, StoredContent } from './email.js';

/** The content as recipients see it. For an email from a template, that is the rendered html and text. */
export async function renderedContent(
  reader: TemplateReader,
  workspaceId: string,
  { content, templateId, templateVersion }: EmailDetail,
): Promise<StoredContent | null> {
  if (content === null || templateId === null || templateVersion === null) return content;
  const version = await findTemplateVersion(reader, workspaceId, templateId, templateVersion);
  return version ? { ...content, ...renderContent(version, (content.templateVars ?? {}) as TemplateVars) } : content;
}
