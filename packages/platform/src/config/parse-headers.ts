const PAIR = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(\S.*?)\s*$/;

/**
 * Parses `name=value,other=value` with percent-encoded values, as OpenTelemetry defines it.
 * @returns null if the text is not valid
 */
export function parseHeaders(text: string): Record<string, string> | null {
  try {
    return Object.fromEntries(text.split(',').map(parsePair));
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** @throws URIError */
function parsePair(pair: string): [string, string] {
  const [, name, value] = PAIR.exec(pair) ?? [];
  if (name === undefined || value === undefined) throw new URIError('A header needs a name and a value');
  return [name, decodeURIComponent(value)];
}
