import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { trackingTokenReader } from '@posthorn/domain/links';
import { type Context, closeContext } from '@posthorn/platform';
import type { Registry } from 'prom-client';
import { answerTlsCheck, TLS_CHECK_PATH } from './answer-tls-check.js';
import { type HitRecorder, openHitRecorder } from './hit-recorder.js';
import { isMachine } from './is-machine.js';
import { createMetrics } from './metrics.js';
import { responseFor, type TrackingResponse } from './response-for.js';

/** Requests have no body and come on fresh connections, so a slow one is not worth waiting for. */
const REQUEST_TIMEOUT_MS = 10_000;

export type RunningTracking = {
  /** The port that the listener got. */
  readonly port: number;
  readonly registry: Registry;
  /** Takes no new requests, writes what is waiting, then closes. */
  stop(): Promise<void>;
};

/**
 * Answers the requests of tracked emails: the image that reports opens, and the links that report clicks. The answer
 * needs neither Postgres nor Redis. Any number of these processes can run at the same time.
 * @param isMigrated resolves when the schema of the database is up to date, which only the events have to wait for
 */
export async function startTracking(ctx: Context, isMigrated = Promise.resolve()): Promise<RunningTracking> {
  const { config } = ctx;
  const metrics = createMetrics(ctx);
  const recorder = openHitRecorder({ ...ctx, metrics }, isMigrated);
  const readToken = trackingTokenReader(config);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const { method = '', url = '' } = request;
    if (url.split('?')[0] === TLS_CHECK_PATH) {
      void answerTlsCheck(ctx, url).then((reply) => send(response, reply));
      return;
    }
    const reply = responseFor(method, url, readToken);
    recordHit(ctx, recorder, { request, reply });
    metrics.responses.inc({ status: reply.status });
    send(response, reply);
  });
  server.listen(config.trackingPort, config.trackingHost);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    registry: metrics.registry,
    async stop() {
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
      await recorder.stop();
      await closeContext(ctx);
    },
  };
}

function recordHit(
  ctx: Pick<Context, 'now'>,
  recorder: HitRecorder,
  { request, reply }: { request: IncomingMessage; reply: TrackingResponse },
): void {
  if (reply.hit) recorder.record({ ...reply.hit, at: ctx.now(), isMachine: isMachine(request.headers) });
}

/** Node leaves out the body of a reply to HEAD. */
function send(response: ServerResponse, { status, headers, body }: TrackingResponse): void {
  response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
}
