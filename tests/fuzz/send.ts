import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { FuzzRequest } from './requests.js';

/** No request may take longer, however busy the machine is. */
const PATIENCE_MS = 20_000;

export type Sent =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly failure: string };

export function openSender(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(url);

  return {
    /** A connection that is closed under a request says so in `failure`, as does silence. */
    send: ({ method, path, headers, body }: FuzzRequest) =>
      new Promise<Sent>((resolve) => {
        const length = body ? { 'content-length': String(body.length) } : {};
        const call = request({ agent, hostname, port, method, path: asSent(path), headers: { ...headers, ...length } });
        const timer = setTimeout(() => call.destroy(new Error(`no answer in ${PATIENCE_MS} ms`)), PATIENCE_MS);
        const settle = (sent: Sent) => {
          clearTimeout(timer);
          resolve(sent);
        };
        call.on('error', (error) => settle({ failure: error.message }));
        call.on('response', (response) => {
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
        call.end(body ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}

/** Node's client sends no path with these. */
function asSent(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/g, '_');
}

/** A line for a shell that sends the same request again. */
export function toCurl(url: string, { method, path, headers, body }: FuzzRequest): string {
  const quote = (text: string) => `$'${text.replaceAll(/['\\]/g, '\\$&').replaceAll(/[^\x20-\x7e]/g, hex)}'`;
  const options = Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`);
  const curl = `curl -i --path-as-is -X ${method} ${options.join(' ')} ${quote(url + asSent(path))}`;
  return body ? `echo ${body.toString('base64')} | base64 -d | ${curl} --data-binary @-` : curl;
}

function hex(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
