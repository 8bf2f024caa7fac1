import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeCodeSample, writeJson } from '@posthorn/code-samples';
import { escapeHtml } from '@posthorn/domain/templates';
import Mustache from 'mustache';
import type { Json } from '../../openapi/openapi-schemas.js';
import { type Field, listFields, toField } from './field-table.js';
import { renderCodeBlock, renderCodeSamples, renderTable } from './markdown.js';
import { hasSamples, type Operation, toSampleRequest } from './operations.js';

export type PageContext = {
  readonly schemas: Readonly<Record<string, Json>>;
  /** Renders a line of Markdown. */
  readonly inline: (text: string) => string;
};

/** @returns a function that fills in a file of this folder */
export function readTemplate(name: string): (view: object) => string {
  const template = readFileSync(join(import.meta.dirname, name), 'utf8');
  return (view) => Mustache.render(template, view, {}, { escape: (value) => escapeHtml(String(value)) });
}

const render = readTemplate('operation.html');

export function renderOperation(operation: Operation, context: PageContext): string {
  const { id, method, summary, description, credential, errors, parameters, body, success } = operation;
  const request = toSampleRequest(operation);
  const bodyText = typeof body?.example === 'string' ? body.example : writeJson(body?.example);
  const example = typeof success.example === 'object' ? renderCodeBlock(writeJson(success.example)) : '';
  return render({
    ...operation,
    methodClass: method.toLowerCase(),
    // The description repeats the summary in its first sentence.
    access: escapeHtml(description.replace(`${summary}. `, '')).replace(/\b\w+:\w+\b/g, '<code>$&</code>'),
    requestTables: listRequestTables(operation, context),
    responseTable: success.schema
      ? renderFields(listFields(success.schema, context.schemas), `Response fields: ${summary}`, context)
      : '',
    errors: errors.map(({ status, codes }) => ({
      status,
      links: codes.map((code) => `<a href="/docs#${code}"><code>${code}</code></a>`).join(', '),
    })),
    samples: hasSamples(operation) ? renderCodeSamples((language) => writeCodeSample(language, request), id) : '',
    hasNoBody: success.type === null,
    plainType: example === '' && success.type,
    responseExample: example,
    canTry: hasSamples(operation) && canTry(operation),
    confirmation: getConfirmation(operation),
    takesKey: credential === 'key',
    takesSession: credential === 'session',
    parameters: parameters.map((each) => ({ ...each, hint: each.description?.replaceAll('`', '') })),
    ...(body && { bodyText, bodyRows: Math.min(bodyText.split('\n').length + 1, 16) }),
  });
}

const places = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

function listRequestTables(
  { parameters, body, summary }: Operation,
  context: PageContext,
): Array<{ title: string; table: string }> {
  const { schemas } = context;
  const ofPlaces = Object.entries(places).map(([place, title]) => {
    const fields = parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, description, required }) =>
        toField(name, { declared: { ...schema, ...(description && { description }) }, isRequired: required }, schemas),
      );
    return { title, fields };
  });
  const ofBody = { title: 'Body', fields: body?.schema ? listFields(body.schema, schemas) : [] };
  return [...ofPlaces, ofBody]
    .filter(({ fields }) => fields.length > 0)
    .map(({ title, fields }) => ({ title, table: renderFields(fields, `${title}: ${summary}`, context) }));
}

/** @param label what the fields belong to, for screen readers */
function renderFields(fields: readonly Field[], label: string, { inline }: PageContext): string {
  if (fields.length === 0) return '';
  const rows = fields.map(({ name, type, limits, isRequired, description }) => {
    const required = isRequired ? ', <span class="required">required</span>' : '';
    const rules = limits && `<span class="limits">${inline(limits)}</span>`;
    return `<tr><td><code>${escapeHtml(name)}</code><span class="type">${escapeHtml(type)}${required}</span></td><td>${inline(description)}${rules}</td></tr>`;
  });
  return renderTable(`aria-label="${escapeHtml(label)}"`, ['Field', 'Description'], rows, 'fields');
}

/** Account operations take passwords and tokens from emailed links. They belong in the dashboard. */
function canTry({ credential, method, success }: Operation): boolean {
  const isReadable = success.type === null || /^(application\/json|text\/plain|message\/rfc822)$/.test(success.type);
  return isReadable && (credential !== 'none' || method === 'GET');
}

/** What to ask before sending; empty if the change is easy to undo. */
function getConfirmation({ method, credential, parameters }: Operation): string {
  if (parameters.some(({ in: place }) => place === 'header'))
    return 'This sends real email from your workspace, and it counts against your caps.';
  if (method === 'DELETE') return 'This cannot be undone.';
  return credential === 'session' && method !== 'GET' ? 'This changes your account or your workspace.' : '';
}
