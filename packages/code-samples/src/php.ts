import { listHeaders, type SampleHeader, type SampleRequest } from './request.js';
import { type ValueSyntax, writeValue } from './write-value.js';

const syntax: ValueSyntax = {
  string: quote,
  null: 'null',
  true: 'true',
  false: 'false',
  array: ['[', ']'],
  object: ['[', ']'],
  shortObject: ['[', ']'],
  // json_encode would write an empty array as [].
  emptyObject: 'new stdClass()',
  field: (name) => `${quote(name)} => `,
  indent: '    ',
  trailingComma: true,
};

/** For PHP 8 with its curl extension. */
export function writePhp(request: SampleRequest): string {
  const { method, url, body } = request;
  const headers = listHeaders(request);
  return [
    '<?php',
    '',
    `$request = curl_init(${quote(url)});`,
    'curl_setopt_array($request, [',
    ...(method === 'GET' ? [] : [`    CURLOPT_CUSTOMREQUEST => ${quote(method)},`]),
    ...(headers.length === 0 ? [] : ['    CURLOPT_HTTPHEADER => [', ...headers.map(writeHeader), '    ],']),
    ...(body === undefined ? [] : [`    CURLOPT_POSTFIELDS => ${writeBody(body)},`]),
    '    CURLOPT_RETURNTRANSFER => true,',
    '    CURLOPT_TIMEOUT => 30,',
    ']);',
    '$body = curl_exec($request);',
    'if ($body === false) {',
    '    throw new RuntimeException(curl_error($request));',
    '}',
    'if (curl_getinfo($request, CURLINFO_RESPONSE_CODE) >= 400) {',
    "    throw new RuntimeException(json_decode($body, true)['detail']);",
    '}',
    ...writeOutput(request),
  ].join('\n');
}

function writeBody(body: unknown): string {
  return typeof body === 'string' ? quote(body) : `json_encode(${writeValue(syntax, body, '    ')})`;
}

function writeOutput({ response }: SampleRequest): string[] {
  if (response === 'json') return ['print_r(json_decode($body, true));'];
  return response === 'text' ? ['echo $body;'] : [];
}

function writeHeader({ name, text, variable }: SampleHeader): string {
  const start = quote(`${name}: ${text}`);
  return `        ${variable === undefined ? start : `${start} . getenv('${variable}')`},`;
}

/** In single quotes, PHP has only two escape sequences, so a line break is written as is. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
