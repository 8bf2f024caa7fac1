import { listHeaders, type SampleHeader, type SampleRequest } from './request.js';
import { type ValueSyntax, writeValue } from './write-value.js';

const syntax: ValueSyntax = {
  string: quote,
  null: 'null',
  true: 'true',
  false: 'false',
  array: ['[', ']'],
  object: ['{', '}'],
  shortObject: ['{ ', ' }'],
  emptyObject: '{}',
  field: (name) => `${quoteName(name)}: `,
  indent: '  ',
  trailingComma: true,
};

/** For Node 20 and newer, as an ES module. It uses only what comes with Node. */
export function writeNode(request: SampleRequest): string {
  const { method, url, body, response } = request;
  const headers = listHeaders(request);
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${quote(method)},`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers.map(writeHeader), '  },']),
    ...(body === undefined ? [] : [`  body: ${writeBody(body)},`]),
  ];
  const call = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return [
    `const response = await fetch(${quote(url)}${call});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    ...(response === 'nothing' ? [] : [`console.log(await response.${response}());`]),
  ].join('\n');
}

function writeBody(body: unknown): string {
  return typeof body === 'string' ? quote(body) : `JSON.stringify(${writeValue(syntax, body, '  ')})`;
}

function writeHeader({ name, text, variable }: SampleHeader): string {
  if (variable === undefined) return `    ${quoteName(name)}: ${quote(text)},`;
  const value = `process.env.${variable}`;
  return `    ${quoteName(name)}: ${text === '' ? value : `\`${text}\${${value}}\``},`;
}

function quoteName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}
