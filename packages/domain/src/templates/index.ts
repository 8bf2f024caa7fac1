export { createTemplate, duplicateTemplate } from './create-template.js';
export {
  createCurrentVersionFinder,
  createTemplateCache,
  type FindCurrentVersion,
  findTemplateVersion,
  type TemplateCache,
  type TemplateReader,
} from './find-template-version.js';
export { forbiddenNames, replacePlaceholders, TemplateSyntaxError } from './parse-template.js';
export { type Preview, previewCurrentTemplate, previewTemplate, previewTexts } from './preview-template.js';
export { escapeHtml, measureTemplate, renderContent } from './render-template.js';
export { resolveTemplateContent } from './resolve-template-content.js';
export type { ParsedParts, Template, TemplateInput, TemplateSource, TemplateVars } from './template.js';
export { findTemplate, listTemplates } from './template-store.js';
export { findVersionRecord, listVersions, type VersionRecord, type VersionSummary } from './template-version-store.js';
export { deleteTemplate, purgeDeletedTemplates, restoreVersion, updateTemplate } from './update-template.js';
