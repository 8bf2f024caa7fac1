import type {
  CreateTemplateRequest,
  DuplicateTemplateRequest,
  PreviewTemplateRequest,
  PreviewTextsRequest,
  TemplateTexts,
  UpdateTemplateRequest,
} from '@posthorn/contract';
import { limits } from '@posthorn/domain/limits';
import type { TemplateInput, TemplateSource } from '@posthorn/domain/templates';
import Joi from 'joi';
import { LINK_TO_IMAGES, limitedText, singleLine } from '../fields/text.js';
import { listQueryOf, NUMBER_CURSOR, numberCursors, type PaginationQuery } from '../lists.js';
import { withAliases } from '../validation/with-aliases.js';
import { withWayOut } from '../validation/with-way-out.js';
import { declaredVariables } from './declared-variables.js';
import { templateVars } from './template-vars.js';

const texts = {
  subject: singleLine(limits.subject.max),
  html_body: withAliases(
    withWayOut(limitedText(limits.html.max), LINK_TO_IMAGES),
    'html',
    'body_html',
    'html_content',
    'html_part',
  ),
  text_body: withAliases(limitedText(limits.text.max), 'text', 'body_text', 'text_content', 'text_part'),
};

const fields = { name: singleLine(limits.templateName.max).trim(), ...texts };

/** With `text_from_html`, the text is generated from the HTML. */
const withVariables = { ...fields, text_from_html: Joi.boolean().strict(), variables: declaredVariables };

export const createTemplateBody = Joi.object<CreateTemplateRequest>(withVariables)
  .fork(['name', 'subject', 'html_body'], (field) => field.required())
  .fork('text_body', (field) => field.when('text_from_html', { is: true, otherwise: Joi.required() }));

export const updateTemplateBody = Joi.object<UpdateTemplateRequest>(withVariables)
  .min(1)
  .messages({ 'object.min': 'must have at least one of name, subject, html_body, text_body and variables' });

export const duplicateTemplateBody = Joi.object<DuplicateTemplateRequest>({ name: fields.name });

export const previewTemplateBody = Joi.object<PreviewTemplateRequest>({ template_vars: templateVars });

/** The content of a template that is being edited. Empty fields can be previewed, but not saved. */
export const previewTextsBody = Joi.object<PreviewTextsRequest>({
  ...texts,
  template_vars: templateVars,
  variables: declaredVariables,
}).fork(Object.keys(texts), (field) => field.required().allow(''));

/** `name` finds the templates whose name contains it. */
export type TemplatesQuery = PaginationQuery & { name?: string };

export const listQuery = listQueryOf<TemplatesQuery>({ name: singleLine(limits.templateName.max) });

/** Versions have no ids, so their numbers are the cursors. */
export const versionsQuery = listQueryOf<PaginationQuery>(numberCursors('a version number from this list'));

/** @returns null if the text is not a version number */
export function toVersion(text: string): number | null {
  return NUMBER_CURSOR.test(text) ? Number(text) : null;
}

type WithText = Omit<CreateTemplateRequest, 'text_body' | 'text_from_html'> & Pick<TemplateTexts, 'text_body'>;

export function toInput({ name, variables, ...source }: WithText): TemplateInput {
  return { name, ...toSource(source), ...(variables && { declared: variables }) };
}

export function toSource({ subject, html_body, text_body }: Omit<TemplateTexts, 'name'>): TemplateSource {
  return { subject, htmlBody: html_body, textBody: text_body };
}

/** Contains only the fields that are in the request. */
export function toChanges({
  html_body,
  text_body,
  variables,
  ...rest
}: Omit<UpdateTemplateRequest, 'text_from_html'>): Partial<TemplateInput> {
  return {
    ...rest,
    ...(html_body !== undefined && { htmlBody: html_body }),
    ...(text_body !== undefined && { textBody: text_body }),
    ...(variables !== undefined && { declared: variables }),
  };
}
