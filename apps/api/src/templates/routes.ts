import type {
  CreateTemplateRequest,
  DuplicateTemplateRequest,
  PreviewTemplateRequest,
  PreviewTextsRequest,
  Template as TemplateJson,
  TemplatePreview,
  TemplateTexts,
  UpdateTemplateRequest,
} from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import {
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  findTemplate,
  listTemplates,
  type Preview,
  previewTemplate,
  previewTexts,
  type Template,
  type TemplateInput,
  type TemplateSource,
  updateTemplate,
} from '@posthorn/domain/templates';
import { isId } from '@posthorn/platform/values';
import Joi from 'joi';
import { keysThat } from '../routing/access.js';
import { toActor } from '../routing/caller.js';
import { buildListQuery, type PaginationQuery, toPagination, viewList } from '../routing/lists.js';
import { defineRoute } from '../routing/route.js';
import { withAliases, withWayOut } from '../validation/field-rules.js';
import { buildLine, buildText, LINK_TO_IMAGES } from '../validation/field-schemas.js';
import { withDerivedText } from './text-from-html.js';
import { declaredVariables, templateVars } from './variables.js';

const texts = {
  subject: buildLine(limits.subject.max),
  html_body: withAliases(
    withWayOut(buildText(limits.html.max), LINK_TO_IMAGES),
    'html',
    'body_html',
    'html_content',
    'html_part',
  ),
  text_body: withAliases(buildText(limits.text.max), 'text', 'body_text', 'text_content', 'text_part'),
};

const fields = { name: buildLine(limits.templateName.max).trim(), ...texts };

/** With `text_from_html`, the text is generated from the HTML. */
const withVariables = { ...fields, text_from_html: Joi.boolean().strict(), variables: declaredVariables };

export const createTemplateBody = Joi.object<CreateTemplateRequest>(withVariables)
  .fork(['name', 'subject', 'html_body'], (field) => field.required())
  .fork('text_body', (field) => field.when('text_from_html', { is: true, otherwise: Joi.required() }));

export const updateTemplateBody = Joi.object<UpdateTemplateRequest>(withVariables)
  .min(1)
  .messages({ 'object.min': 'must have at least one of name, subject, html_body, text_body and variables' });

type TemplatesQuery = PaginationQuery & { name?: string };

const path = '/api/v1/templates';

export const templateRoutes = [
  defineRoute<CreateTemplateRequest>({
    operationId: 'createTemplate',
    method: 'post',
    path,
    access: keysThat.writeTemplates,
    summary: 'Create a template',
    success: 201,
    problems: ['conflict'],
    body: createTemplateBody,
    hasLargeBody: true,
    hasContent: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, body, request }) {
      const input = toInput(await withDerivedText(ctx, body));
      const template = await createTemplate(ctx, toActor({ caller, request }), caller.workspace.liveId, input);
      return { status: 201, body: viewTemplate(template) };
    },
  }),

  defineRoute<undefined, TemplatesQuery>({
    operationId: 'listTemplates',
    method: 'get',
    path,
    access: 'any',
    summary: 'List templates, newest first; the name parameter finds templates by part of their name',
    hasContent: true,
    query: buildListQuery<TemplatesQuery>({ name: buildLine(limits.templateName.max) }),
    async handle(ctx, { caller, query }) {
      const page = await listTemplates(ctx.db, caller.workspace.liveId, toPagination(query), query.name);
      return { status: 200, body: viewList(page, viewTemplate) };
    },
  }),

  defineRoute({
    operationId: 'getTemplate',
    method: 'get',
    path: `${path}/:id`,
    access: 'any',
    summary: 'Retrieve a template',
    hasContent: true,
    async handle(ctx, { caller, params: { id = '' } }) {
      const template = isId(id) ? await findTemplate(ctx.db, caller.workspace.liveId, id) : null;
      return { status: 200, body: viewTemplate(assertFound(template)) };
    },
  }),

  defineRoute<UpdateTemplateRequest>({
    operationId: 'updateTemplate',
    method: 'patch',
    path: `${path}/:id`,
    access: keysThat.writeTemplates,
    summary: 'Update a template; accepted emails keep their version of it',
    body: updateTemplateBody,
    hasLargeBody: true,
    hasContent: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, params: { id = '' }, body, request }) {
      const changes = toChanges(await withDerivedText(ctx, body));
      const ref = { workspaceId: caller.workspace.liveId, id };
      const template = isId(id) ? await updateTemplate(ctx, toActor({ caller, request }), ref, changes) : null;
      return { status: 200, body: viewTemplate(assertFound(template)) };
    },
  }),

  defineRoute({
    operationId: 'deleteTemplate',
    method: 'delete',
    path: `${path}/:id`,
    access: keysThat.writeTemplates,
    summary: 'Delete a template; accepted emails are still sent',
    async handle(ctx, { caller, params: { id = '' }, request }) {
      const ref = { workspaceId: caller.workspace.liveId, id };
      const deleted = isId(id) && (await deleteTemplate(ctx, toActor({ caller, request }), ref));
      if (!deleted) throw new Refusal('not_found', { what: 'template' });
      return { status: 200, body: { object: 'template', id, deleted: true } };
    },
  }),

  defineRoute<DuplicateTemplateRequest>({
    operationId: 'duplicateTemplate',
    success: 201,
    method: 'post',
    path: `${path}/:id/duplicate`,
    access: keysThat.writeTemplates,
    summary: 'Duplicate a template; without a name, the copy is named after the original',
    body: Joi.object<DuplicateTemplateRequest>({ name: fields.name }),
    hasContent: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, params: { id = '' }, body, request }) {
      const ref = { workspaceId: caller.workspace.liveId, id };
      const template = isId(id) ? await duplicateTemplate(ctx, toActor({ caller, request }), ref, body.name) : null;
      return { status: 201, body: viewTemplate(assertFound(template)) };
    },
  }),

  defineRoute<PreviewTemplateRequest>({
    operationId: 'previewTemplate',
    method: 'post',
    path: `${path}/:id/preview`,
    access: 'any',
    summary: 'Preview a template with variables, rendered like an email',
    body: Joi.object<PreviewTemplateRequest>({ template_vars: templateVars }),
    hasLargeBody: true,
    hasContent: true,
    rateLimit: 'heavyRequests',
    async handle(ctx, { caller, params: { id = '' }, body }) {
      const template = isId(id) ? await findTemplate(ctx.db, caller.workspace.liveId, id) : null;
      return { status: 200, body: viewPreview(previewTemplate(assertFound(template), body.template_vars ?? {})) };
    },
  }),

  defineRoute<PreviewTextsRequest>({
    operationId: 'previewTexts',
    method: 'post',
    path: `${path}/preview`,
    access: 'any',
    summary: 'Preview unsaved content; it is checked like a template that you save, but can be empty',
    // The content of a template that is being edited. Empty fields can be previewed, but not saved.
    body: Joi.object<PreviewTextsRequest>({
      ...texts,
      template_vars: templateVars,
      variables: declaredVariables,
    }).fork(Object.keys(texts), (field) => field.required().allow('')),
    hasLargeBody: true,
    hasContent: true,
    rateLimit: 'heavyRequests',
    async handle(_ctx, { body: { template_vars = {}, variables = [], ...texts } }) {
      return { status: 200, body: previewTexts({ ...toSource(texts), declared: variables }, template_vars) };
    },
  }),
];

function assertFound(template: Template | null): Template {
  if (!template) throw new Refusal('not_found', { what: 'template' });
  return template;
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

export function viewTemplate(template: Template): TemplateJson {
  return {
    object: 'template',
    id: template.id,
    name: template.name,
    subject: template.subject,
    html_body: template.htmlBody,
    text_body: template.textBody,
    variables: [...template.variables],
    version: template.version,
    created_at: template.createdAt.toISOString(),
    updated_at: template.updatedAt.toISOString(),
  };
}

/** The preview of a stored template. It does not list the variables, because the template itself does. */
export function viewPreview({ subject, html, text, missing }: Preview): TemplatePreview {
  return { subject, html, text, missing };
}
