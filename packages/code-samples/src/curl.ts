import { listHeaders, type SampleHeader, type SampleRequest } from './request.js';
import { writeJson } from './write-value.js';

export function writeCurl(request: SampleRequest): string {
  const { method, url, body } = request;
  const implied = body === undefined ? 'GET' : 'POST';
  const options = [
    ...(method === implied ? [] : [`-X ${method}`]),
    ...listHeaders(request).map((header) => `-H ${writeHeader(header)}`),
    ...(body === undefined ? [] : [writeBody(body)]),
  ];
  return [`curl ${/^[\w.:/-]+$/.test(url) ? url : shellWord(url)}`, ...options].join(' \\\n  ');
}

/** JSON may be indented, but each line of CSV has to stay as it is. */
function writeBody(body: unknown): string {
  if (typeof body === 'string') return `--data-binary ${shellWord(body)}`;
  return `-d ${shellWord(writeJson(body).replaceAll('\n', '\n  '))}`;
}

/** A variable is expanded between double quotes only. */
function writeHeader({ name, text, variable }: SampleHeader): string {
  if (variable === undefined) return shellWord(`${name}: ${text}`);
  return `"${name}: ${text}$${variable}"`;
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
