import { codeSample, writeJson } from '@posthorn/code-samples';
import { escapeHtml } from '@posthorn/domain/templates';
import { fieldOf, fieldsOf } from '../fields.js';
import { hasSamples, type Json, type Operation, type Parameter } from '../operations.js';
import { sampleRequestOf } from '../sample-request-of.js';
import { codeBlock } from './code-block.js';
import { codeSamples } from './code-samples.js';
import { fieldTable } from './field-table.js';
import { inline, type Linker } from './inline.js';
import { tryIt } from './try-it.js';

export type PageContext = {
  readonly baseUrl: string;
  readonly schemas: Readonly<Record<string, Json>>;
  readonly linkTo: Linker;
};

export function operationToHtml(operation: Operation, context: PageContext): string {
  const { id, method, path, summary, description } = operation;
  // The description repeats the summary in its first sentence.
  const access = description.replace(`${summary}. `, '');
  return `<section class="operation" id="${id}" aria-labelledby="heading-${id}">
<h2 id="heading-${id}"><a class="anchor" href="#${id}">${escapeHtml(summary)}</a></h2>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p class="access">${escapeHtml(access).replace(/\b\w+:\w+\b/g, '<code>$&</code>')}</p>
<div class="columns">
<div>
${requestFields(operation, context)}
${responseFields(operation, context)}
${errors(operation)}
</div>
<div class="code-column">
${samples(operation, context)}
${responseExample(operation)}
${hasSamples(operation) ? tryIt(operation) : ''}
</div>
</div>
</section>`;
}

function samples(operation: Operation, { baseUrl }: PageContext): string {
  if (!hasSamples(operation)) return '';
  const request = sampleRequestOf(operation, baseUrl);
  return codeSamples({ codeIn: (language) => codeSample(language, request) }, operation.id);
}

const PLACES = { path: 'Path parameters', query: 'Query parameters', header: 'Headers' } as const;

function requestFields({ parameters, body, summary }: Operation, { schemas, linkTo }: PageContext): string {
  const ofPlace = (place: Parameter['in']) =>
    parameters
      .filter(({ in: found }) => found === place)
      .map(({ name, schema, description, required }) =>
        fieldOf(name, { declared: { ...schema, ...(description && { description }) }, isRequired: required }, schemas),
      );
  const tables = Object.entries(PLACES).map(([place, title]) => [title, ofPlace(place as Parameter['in'])] as const);
  const ofBody = body?.schema ? fieldsOf(body.schema, schemas) : [];
  return [...tables, ['Body', ofBody] as const]
    .filter(([, fields]) => fields.length > 0)
    .map(([title, fields]) => `<h3>${title}</h3>\n${fieldTable(fields, `${title}: ${summary}`, linkTo)}`)
    .join('\n');
}

function responseFields({ success, summary }: Operation, { schemas, linkTo }: PageContext): string {
  const fields = success.schema ? fieldsOf(success.schema, schemas) : [];
  if (fields.length === 0) return '';
  return `<details><summary>Response fields</summary>
${fieldTable(fields, `Response fields: ${summary}`, linkTo)}
</details>`;
}

function errors(operation: Operation): string {
  const rows = operation.errors.map(({ status, codes }) => {
    const links = codes.map((code) => `<a href="/docs#${code}"><code>${code}</code></a>`);
    return `<li>${status}: ${links.join(', ')}</li>`;
  });
  return `<details><summary>Errors</summary>\n<ul class="errors">\n${rows.join('\n')}\n</ul>\n</details>`;
}

function responseExample({ success: { status, type, example } }: Operation): string {
  if (type === null) return `<p class="response-status">Response: <strong>${status}</strong>, without a body</p>`;
  const content = typeof example === 'object' ? codeBlock(writeJson(example)) : '';
  return `<p class="response-status">Response: <strong>${status}</strong>${content ? '' : ` with ${inline(`\`${type}\``)}`}</p>\n${content}`;
}
