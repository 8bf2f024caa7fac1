import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedSpan, readSpans } from './read-spans.js';

const TIMEOUT_MS = 30_000;
const POLL_MS = 50;

export type Collector = {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that was received, as text in which a word can be searched for. */
  text(): string;
  /** The headers of the last request. */
  headers(): IncomingMessage['headers'];
  /** Waits until it has received spans that satisfy the condition. */
  until(condition: (spans: readonly ReceivedSpan[]) => boolean): Promise<void>;
  close(): Promise<void>;
};

/** A collector that receives traces by OTLP. @param answers whether it answers at all */
export async function startCollector({ answers = true } = {}): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  let text = '';
  let headers: IncomingMessage['headers'] = {};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!answers) return;
    const body = Buffer.concat(chunks);
    if (request.url === '/v1/traces') spans.push(...readSpans(body));
    text += body.toString('latin1');
    headers = request.headers;
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => text,
    headers: () => headers,
    async until(condition) {
      for (const deadline = Date.now() + TIMEOUT_MS; !condition(spans); await sleep(POLL_MS))
        if (Date.now() > deadline) throw new Error(`The collector received only ${spans.map(({ name }) => name)}`);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
