import type { CreateTemplateRequest, PreviewTextsRequest } from '@posthorn/contract';

/** What an author writes, the name apart. */
export type Texts = Pick<PreviewTextsRequest, 'subject' | 'html_body' | 'text_body'>;

export const emptyTemplate: CreateTemplateRequest = { name: '', subject: '', html_body: '', text_body: '' };

/** Those of something that has more. */
export function textsOf({ subject, html_body, text_body }: Texts): Texts {
  return { subject, html_body, text_body };
}

export function fieldsOf({ name, ...rest }: CreateTemplateRequest): CreateTemplateRequest {
  return { name, ...textsOf(rest) };
}

export function sameTexts(a: Texts, b: Texts): boolean {
  return a.subject === b.subject && a.html_body === b.html_body && a.text_body === b.text_body;
}

export function sameFields(a: CreateTemplateRequest, b: CreateTemplateRequest): boolean {
  return a.name === b.name && sameTexts(a, b);
}
