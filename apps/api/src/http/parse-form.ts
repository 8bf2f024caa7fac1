export type FormFields = Readonly<Record<string, string>>;

/**
 * Reads the fields of a form in one of the two types that RFC 8058, section 3.2 names. Mail programs write them in their
 * own ways, and a form that is refused leaves a person subscribed. So line breaks, blank lines, quotes and the boundary
 * in the Content-Type may differ from RFC 7578.
 * @returns null if the body is not a form
 */
export function parseForm(body: string, type: string): FormFields | null {
  if (!/^multipart\//i.test(type)) return Object.fromEntries(new URLSearchParams(body));
  const fields = splitMultipart(body.replace(/\r\n?/g, '\n'))?.map(parsePart);
  return fields?.every((field) => field !== null) ? Object.fromEntries(fields) : null;
}

/** The line before each part. What stands before the first one is ignored (RFC 2046, 5.1.1). */
const FIRST_DELIMITER = /^--.*\S/m;

function splitMultipart(body: string): string[] | null {
  if (body.trim() === '') return [];
  const [delimiter] = FIRST_DELIMITER.exec(body) ?? [];
  if (delimiter === undefined) return null;
  const [, ...parts] = `\n${body}`.split(`\n${delimiter}`);
  const end = parts.findIndex((part) => part.startsWith('--'));
  return (end === -1 ? parts : parts.slice(0, end)).filter((part) => part.trim() !== '');
}

const NAME = /^content-disposition[ \t]*:[^\n]*?;\s*name\s*=\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s;"']+))/im;

function parsePart(part: string): [string, string] | null {
  const [head = '', ...value] = part.trimStart().split(/\n[ \t]*\n/);
  const [, double, single, bare] = NAME.exec(head.replace(/\n[ \t]+/g, ' ')) ?? [];
  const name = double ?? single ?? bare;
  return name === undefined ? null : [name, value.join('\n\n').trim()];
}
