import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import ts from 'typescript';
import { startProcess } from '../processes.js';

type Content = { readonly example?: unknown };
type Operation = {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
};
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

const JSON_TYPE = 'application/json';
const API_TYPES = join(import.meta.dirname, 'api.ts');
const EXAMPLES = join(import.meta.dirname, 'examples.ts');

let ctx: Context;
let document: Document;
let types: string;

beforeAll(async () => {
  ctx = await openTestContext();
  const api = await startProcess('api', ctx, {});
  try {
    const text = await (await fetch(`${api.url}/openapi.json`)).text();
    document = JSON.parse(text);
    types = generateTypes(text);
  } finally {
    await api.stop();
  }
});

afterAll(() => closeTestContext(ctx));

test('the examples in the guide match the types of a generated client', () => {
  const folder = join(import.meta.dirname, '../../docs/api');
  const markdown = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
    // The build fills this in from an example, which the next test checks.
    .replace(/^```json\n\$\{.+\}\n```/gm, '');
  const blocks = [...markdown.matchAll(/^```(json|http)\n([\s\S]*?)^```/gm)].map(([, language, code = '']) =>
    language === 'http' ? toCall(code) : toConstant(code),
  );
  expect(blocks.length).toBeGreaterThanOrEqual(4);
  expect(faultsIn(blocks)).toEqual([]);
});

test('the examples of every operation match the types of a generated client', () => {
  const lines = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, requestBody, responses }) => {
      const request = requestBody?.content[JSON_TYPE]?.example;
      const [status, succeeded] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
      const response = succeeded?.content?.[JSON_TYPE]?.example;
      const base = `operations['${operationId}']`;
      return [
        ...(request ? [constant(`NonNullable<${base}['requestBody']>['content']['${JSON_TYPE}']`, request)] : []),
        ...(response ? [constant(`${base}['responses'][${status}]['content']['${JSON_TYPE}']`, response)] : []),
      ];
    });
  expect(lines.length).toBeGreaterThan(70);
  expect(faultsIn(lines)).toEqual([]);
});

test('a generated client accepts valid variables and page sizes, and rejects invalid ones', () => {
  const list = (limit: string) => `await client.GET('/api/v1/emails', { params: { query: { limit: ${limit} } } });`;
  const send = (vars: string) =>
    `await client.POST('/api/v1/emails', { body: { to: ['jane@example.com'], template_id: 'x', template_vars: ${vars} } });`;
  expect(faultsIn([list('10'), send("{ name: 'Jane', count: 3, isNew: true }")])).toEqual([]);
  expect(faultsIn([list("'ten'")])).toHaveLength(1);
  expect(faultsIn([send('{ name: { first: 1 } }')])).toHaveLength(1);
  expect(faultsIn(["await client.POST('/api/v1/emails', { body: { to: 'jane@example.com' } });"])).toHaveLength(1);
});

/** Runs the generator as users do. It reads the document from its standard input. */
function generateTypes(text: string): string {
  return execFileSync('npx', ['--no-install', 'openapi-typescript'], {
    cwd: import.meta.dirname,
    input: text,
    encoding: 'utf8',
  });
}

/** A request of the guide, translated into a client call. */
function toCall(request: string): string {
  const [, method, path = ''] = /^(\S+) (\S+)/.exec(request) ?? [];
  const [, body] = request.split('\n\n');
  const { pathname, searchParams } = new URL(path, 'https://mail.example.com');
  if (body !== undefined) return `await client.${method}('${pathname}', { body: ${body} });`;
  const query = JSON.stringify(Object.fromEntries(searchParams));
  return `await client.${method}('${pathname}', { params: { query: ${query} } });`;
}

/** A JSON example: a response if it has an `object`, otherwise a request to send an email. */
function toConstant(json: string): string {
  const value = JSON.parse(json);
  const schemas: Readonly<Record<string, string>> = { email: 'AcceptedEmail', email_stats: 'EmailStats' };
  if (value.timestamp !== undefined) return constant(WEBHOOK_BODY, value);
  if (value.object === undefined)
    return constant(`NonNullable<operations['sendEmail']['requestBody']>['content']['${JSON_TYPE}']`, value);
  return constant(`components['schemas']['${schemas[value.object] ?? `unknown ${value.object}`}']`, value);
}

/** What a webhook posts is not a response, but has the type and the data of an event. */
const WEBHOOK_BODY = `Pick<components['schemas']['Event'], 'type'> & { timestamp: string; data: components['schemas']['EmailEventData'] & { sequence: number } }`;

let constants = 0;

function constant(type: string, value: unknown): string {
  constants += 1;
  return `export const value${constants}: ${type} = ${JSON.stringify(value)};`;
}

/** Compiles the lines as a program that uses the generated types. @returns what the compiler reports */
function faultsIn(lines: readonly string[]): string[] {
  const sources: Record<string, string> = {
    [API_TYPES]: types,
    [EXAMPLES]: [
      "import createClient from 'openapi-fetch';",
      "import type { components, operations, paths } from './api.js';",
      "const client = createClient<paths>({ baseUrl: 'https://mail.example.com' });",
      'export type Used = [components, operations, typeof client];',
      ...lines,
    ].join('\n'),
  };
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => name in sources || fileExists(name);
  host.readFile = (name) => sources[name] ?? readFile(name);
  host.getSourceFile = (name, ...rest) => {
    const text = sources[name];
    return text === undefined ? getSourceFile(name, ...rest) : ts.createSourceFile(name, text, rest[0]);
  };
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([EXAMPLES], options, host));
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
