import { listHeaders, type SampleHeader, type SampleRequest } from './request.js';
import { type ValueSyntax, writeValue } from './write-value.js';

/** Python understands every escape sequence that JSON.stringify writes. */
const quote = (text: string) => JSON.stringify(text);

const syntax: ValueSyntax = {
  string: quote,
  null: 'None',
  true: 'True',
  false: 'False',
  array: ['[', ']'],
  object: ['{', '}'],
  shortObject: ['{', '}'],
  emptyObject: '{}',
  field: (name) => `${quote(name)}: `,
  indent: '    ',
  trailingComma: true,
};

/** For Python 3 with the package `requests`, which sets the content type of JSON itself. */
export function writePython(request: SampleRequest): string {
  const { method, url, body, response } = request;
  const isCsv = typeof body === 'string';
  const headers = listHeaders(request).filter(({ name }) => isCsv || name !== 'Content-Type');
  const needsEnvironment = headers.some(({ variable }) => variable !== undefined);
  const lines = [
    ...(needsEnvironment ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    ${quote(url)},`,
    ...(headers.length === 0 ? [] : ['    headers={', ...headers.map(writeHeader), '    },']),
    ...(body === undefined ? [] : [`    ${isCsv ? 'data' : 'json'}=${writeValue(syntax, body, '    ')},`]),
    '    timeout=30,',
    ')',
    'if not response.ok:',
    '    raise RuntimeError(response.json()["detail"])',
    ...(response === 'json' ? ['print(response.json())'] : []),
    ...(response === 'text' ? ['print(response.text)'] : []),
  ];
  return lines.join('\n');
}

function writeHeader({ name, text, variable }: SampleHeader): string {
  if (variable === undefined) return `        ${quote(name)}: ${quote(text)},`;
  const value = `os.environ["${variable}"]`;
  return `        ${quote(name)}: ${text === '' ? value : `${quote(text)} + ${value}`},`;
}
