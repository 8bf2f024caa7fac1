import type { CreateTemplateRequest, PreviewTemplateRequest, UpdateTemplateRequest } from '@posthorn/contract';
import { limits, type TemplateFields } from '@posthorn/domain';
import Joi from 'joi';
import { listQueryOf, type PageQuery } from '../lists.js';
import { bytesAtMost, singleLine } from '../text.js';
import { templateVars } from './template-vars.js';

const fields = {
  name: singleLine(limits.templateName.max).trim(),
  subject: singleLine(limits.subject.max),
  html_body: bytesAtMost(limits.html.max),
  text_body: bytesAtMost(limits.text.max),
};

export const createTemplateBody = Joi.object<CreateTemplateRequest>(fields).fork(Object.keys(fields), (field) =>
  field.required(),
);

export const updateTemplateBody = Joi.object<UpdateTemplateRequest>(fields)
  .min(1)
  .messages({ 'object.min': 'must hold at least one of name, subject, html_body and text_body' });

export const previewTemplateBody = Joi.object<PreviewTemplateRequest>({ template_vars: templateVars });

export const listQuery = listQueryOf<PageQuery>();

export function toFields({ name, subject, html_body, text_body }: CreateTemplateRequest): TemplateFields {
  return { name, subject, htmlBody: html_body, textBody: text_body };
}

/** Only the fields that were given. */
export function toChanges({ html_body, text_body, ...rest }: UpdateTemplateRequest): Partial<TemplateFields> {
  return {
    ...rest,
    ...(html_body !== undefined && { htmlBody: html_body }),
    ...(text_body !== undefined && { textBody: text_body }),
  };
}
