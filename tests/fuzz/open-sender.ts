import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { FuzzRequest } from './requests.js';

/** The time limit for a response, generous enough for a busy machine. */
const MAX_RESPONSE_MS = 20_000;

export type SendResult =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly failure: string };

export function openSender(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);

  return {
    /** A closed connection or a missing response becomes a `failure`. */
    send: ({ method, path, headers, body }: FuzzRequest) =>
      new Promise<SendResult>((resolve) => {
        const length = body ? { 'content-length': String(body.length) } : {};
        const clientRequest = request({
          agent,
          hostname,
          port,
          method,
          path: toSendablePath(path),
          headers: { ...headers, ...length },
        });
        const timer = setTimeout(
          () => clientRequest.destroy(new Error(`no response in ${MAX_RESPONSE_MS} ms`)),
          MAX_RESPONSE_MS,
        );
        const settle = (result: SendResult) => {
          clearTimeout(timer);
          resolve(result);
        };
        clientRequest.on('error', (error) => settle({ failure: error.message }));
        clientRequest.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('error', (error) => settle({ failure: error.message }));
          response.on('end', () =>
            settle({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString(),
            }),
          );
        });
        clientRequest.end(body ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}

/** Replaces the characters that Node's HTTP client refuses in a path. */
function toSendablePath(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/g, '_');
}

/** A shell command that sends the same request again. */
export function toCurl(url: string, { method, path, headers, body }: FuzzRequest): string {
  const quote = (text: string) => `$'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(/[^\x20-\x7e]/g, hex)}'`;
  const options = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const curl = `curl -i --path-as-is -X ${method} ${options.join(' ')} ${quote(url + toSendablePath(path))}`;
  return body ? `echo ${body.toString('base64')} | base64 -d | ${curl} --data-binary @-` : curl;
}

function hex(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
