import type { PreviewTextsRequest, TemplateTexts } from '@posthorn/contract';

/** The versioned fields of a template, without its name. */
export type TemplateContent = Pick<PreviewTextsRequest, 'subject' | 'html_body' | 'text_body'>;

export const emptyTemplate: TemplateTexts = { name: '', subject: '', html_body: '', text_body: '' };

/** Picks the content from a larger object. */
export function contentOf({ subject, html_body, text_body }: TemplateContent): TemplateContent {
  return { subject, html_body, text_body };
}

export function fieldsOf({ name, ...rest }: TemplateTexts): TemplateTexts {
  return { name, ...contentOf(rest) };
}

export function isSameContent(a: TemplateContent, b: TemplateContent): boolean {
  return a.subject === b.subject && a.html_body === b.html_body && a.text_body === b.text_body;
}

export function hasSameFields(a: TemplateTexts, b: TemplateTexts): boolean {
  return a.name === b.name && isSameContent(a, b);
}
