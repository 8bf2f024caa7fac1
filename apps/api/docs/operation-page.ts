import { codeSample, writeJson } from '@posthorn/code-samples';
import { escapeHtml } from '@posthorn/domain/templates';
import { type Field, listFields, toField } from './fields.js';
import { codeBlock, codeSamples, wrapTable } from './markdown.js';
import { type Content, hasSamples, type Operation, type Parameter, toSampleRequest } from './operations.js';
import type { Json } from './schemas.js';

export type PageContext = {
  readonly schemas: Readonly<Record<string, Json>>;
  /** Renders a line of Markdown. */
  readonly inline: (text: string) => string;
};

/** What the page of a group of calls says about one of them. */
export function renderOperation(operation: Operation, context: PageContext): string {
  const { id, method, path, summary, description } = operation;
  // The description repeats the summary in its first sentence.
  const access = description.replace(`${summary}. `, '');
  return `<section class="operation" id="${id}" aria-labelledby="heading-${id}">
<h2 id="heading-${id}"><a class="anchor" href="#${id}">${escapeHtml(summary)}</a></h2>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p class="access">${escapeHtml(access).replace(/\b\w+:\w+\b/g, '<code>$&</code>')}</p>
<div class="columns">
<div>
${renderRequestFields(operation, context)}
${renderResponseFields(operation, context)}
${renderErrors(operation)}
</div>
<div class="code-column">
${renderSamples(operation)}
${renderResponse(operation)}
${hasSamples(operation) ? renderForm(operation) : ''}
</div>
</div>
</section>`;
}

function renderSamples(operation: Operation): string {
  if (!hasSamples(operation)) return '';
  const request = toSampleRequest(operation);
  return codeSamples((language) => codeSample(language, request), operation.id);
}

const places = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

function renderRequestFields({ parameters, body, summary }: Operation, context: PageContext): string {
  const { schemas } = context;
  const tables = Object.entries(places).map(([place, title]) => {
    const ofPlace = parameters.filter((parameter) => parameter.in === place);
    const fields = ofPlace.map(({ name, schema, description, required }) =>
      toField(name, { declared: { ...schema, ...(description && { description }) }, isRequired: required }, schemas),
    );
    return [title, fields] as const;
  });
  const ofBody = body?.schema ? listFields(body.schema, schemas) : [];
  return [...tables, ['Body', ofBody] as const]
    .filter(([, fields]) => fields.length > 0)
    .map(([title, fields]) => `<h3>${title}</h3>\n${renderFields(fields, `${title}: ${summary}`, context)}`)
    .join('\n');
}

function renderResponseFields({ success, summary }: Operation, context: PageContext): string {
  const fields = success.schema ? listFields(success.schema, context.schemas) : [];
  if (fields.length === 0) return '';
  return `<details><summary>Response fields</summary>
${renderFields(fields, `Response fields: ${summary}`, context)}
</details>`;
}

/** @param label what the fields belong to, for screen readers */
function renderFields(fields: readonly Field[], label: string, { inline }: PageContext): string {
  const rows = fields.map(({ name, type, limits, isRequired, description }) => {
    const required = isRequired ? ', <span class="required">required</span>' : '';
    const rules = limits && `<span class="limits">${inline(limits)}</span>`;
    return `<tr><td><code>${escapeHtml(name)}</code><span class="type">${escapeHtml(type)}${required}</span></td><td>${inline(description)}${rules}</td></tr>`;
  });
  return wrapTable(`aria-label="${escapeHtml(label)}"`, ['Field', 'Description'], rows, 'fields');
}

function renderErrors(operation: Operation): string {
  const rows = operation.errors.map(({ status, codes }) => {
    const links = codes.map((code) => `<a href="/docs#${code}"><code>${code}</code></a>`);
    return `<li>${status}: ${links.join(', ')}</li>`;
  });
  return `<details><summary>Errors</summary>\n<ul class="errors">\n${rows.join('\n')}\n</ul>\n</details>`;
}

function renderResponse({ success: { status, type, example } }: Operation): string {
  if (type === null) return `<p class="response-status">Response: <strong>${status}</strong>, without a body</p>`;
  const content = typeof example === 'object' ? codeBlock(writeJson(example)) : '';
  return `<p class="response-status">Response: <strong>${status}</strong>${content ? '' : ` with <code>${type}</code>`}</p>\n${content}`;
}

/** Account operations take passwords and tokens from emailed links. They belong in the dashboard. */
function canTry({ credential, method, success }: Operation): boolean {
  const isReadable = success.type === null || /^(application\/json|text\/plain|message\/rfc822)$/.test(success.type);
  return isReadable && (credential !== 'none' || method === 'GET');
}

/**
 * A form that sends the request from the reader's browser. It is hidden until the script has started, because the
 * browser itself must not submit it.
 */
function renderForm(operation: Operation): string {
  if (!canTry(operation)) return '';
  const { id, method, path, credential, parameters, body, summary } = operation;
  const confirmation = getConfirmation(operation);
  return `<details class="try" hidden data-method="${method}" data-path="${path}" data-credential="${credential}"${confirmation && ` data-confirmation="${confirmation}"`}>
<summary>Try it<span class="for-screen-readers">: ${escapeHtml(summary)}</span></summary>
<form>
${renderCredential(id, credential)}
${parameters.map(renderParameter).join('\n')}
${body ? renderBody(body) : ''}
<button type="submit">Send request</button>
</form>
<div class="answer" role="status"></div>
</details>`;
}

/** What to ask before sending; empty if the change is easy to undo. */
function getConfirmation({ method, credential, parameters }: Operation): string {
  if (parameters.some(({ in: place }) => place === 'header'))
    return 'This sends real email from your workspace, and it counts against your caps.';
  if (method === 'DELETE') return 'This cannot be undone.';
  return credential === 'session' && method !== 'GET' ? 'This changes your account or your workspace.' : '';
}

function renderCredential(id: string, credential: Operation['credential']): string {
  if (credential === 'none') return '';
  if (credential === 'session')
    return '<p class="hint">This call needs a session: log in to the dashboard in this browser first.</p>';
  return `<label>API key<input type="password" name="key" autocomplete="off" spellcheck="false" aria-describedby="key-${id}"></label>
<p class="hint" id="key-${id}">The key stays on this page. It is not stored, and it is gone when you leave or reload the page. <a href="/api-keys">Create a key</a></p>`;
}

function renderParameter({ name, in: place, required, description = '' }: Parameter): string {
  const hint = description && ` <span class="hint">${escapeHtml(description.replaceAll('`', ''))}</span>`;
  return `<label><code>${name}</code>${hint}<input name="${place}.${name}" autocomplete="off" spellcheck="false"${required ? ' required' : ''}></label>`;
}

function renderBody({ type, example }: Content): string {
  const text = typeof example === 'string' ? example : writeJson(example);
  return `<label>Body<textarea name="body" data-type="${type}" rows="${Math.min(text.split('\n').length + 1, 16)}" spellcheck="false">${escapeHtml(text)}</textarea></label>`;
}
