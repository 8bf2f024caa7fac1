import type { Target } from './attack.js';

type RequestOptions = {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** The content type of the body; JSON by default. */
  readonly type?: string;
};

/** The bytes of an HTTP request. */
export function httpRequest({
  method = 'GET',
  path,
  key,
  headers = [],
  body,
  type = 'application/json',
}: RequestOptions): Buffer {
  const bytes = body === undefined ? null : Buffer.from(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    ...(bytes === null ? [] : [`Content-Type: ${type}`, `Content-Length: ${bytes.length}`]),
    ...headers,
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`);
  return bytes === null ? head : Buffer.concat([head, bytes]);
}

export function postEmail(
  { key }: Pick<Target, 'key'>,
  body: string | Buffer,
  headers: readonly string[] = [],
): Buffer {
  return httpRequest({ method: 'POST', path: '/api/v1/emails', key, body, headers });
}
