export { createTemplate } from './create-template.js';
export { deleteTemplate } from './delete-template.js';
export { duplicateTemplate } from './duplicate-template.js';
export { escapeHtml } from './escape-html.js';
export {
  currentVersionFinder,
  type FindCurrentVersion,
  findTemplateVersion,
  type TemplateReader,
} from './find-template-version.js';
export { measureTemplate } from './measure-template.js';
export { forbiddenNames, replacePlaceholders, TemplateSyntaxError } from './parse-template.js';
export { type Preview, previewCurrentTemplate, previewTemplate, previewTexts } from './preview-template.js';
export { renderContent } from './render-content.js';
export { resolveTemplateContent } from './resolve-template-content.js';
export { restoreVersion } from './restore-version.js';
export type { ParsedParts, Template, TemplateInput, TemplateSource } from './template.js';
export { type TemplateCache, templateCache } from './template-cache.js';
export { findTemplate, listTemplates } from './template-store.js';
export type { TemplateVars } from './template-variables.js';
export { findVersionRecord, listVersions, type VersionRecord, type VersionSummary } from './template-version-store.js';
export { updateTemplate } from './update-template.js';
