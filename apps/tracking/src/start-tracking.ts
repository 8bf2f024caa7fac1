import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servesTrackingHost } from '@posthorn/domain/domains';
import { createTrackingTokenParser, type ParseTrackingToken, type TrackedPart } from '@posthorn/domain/links';
import { type Context, closeContext } from '@posthorn/platform';
import { isUnavailable } from '@posthorn/platform/postgres';
import type { Registry } from 'prom-client';
import { isMachine } from './is-machine.js';
import { createMetrics } from './metrics.js';
import { createOpenClickRecorder } from './open-click-recorder.js';

/** Requests have no body and come on fresh connections, so a slow one is not worth waiting for. */
const REQUEST_TIMEOUT_MS = 10_000;

type RunningTracking = {
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
  const recorder = createOpenClickRecorder({ ...ctx, metrics }, isMigrated);
  const readToken = createTrackingTokenParser(config);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const { method = '', url = '' } = request;
    if (url.split('?')[0] === TLS_CHECK_PATH) {
      void answerTlsCheck(ctx, url).then((reply) => send(response, reply));
      return;
    }
    const reply = buildResponse(method, url, readToken);
    if (reply.hit) recorder.record({ ...reply.hit, at: ctx.now(), isMachine: isMachine(request.headers) });
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

/** Node leaves out the body of a reply to HEAD. */
function send(response: ServerResponse, { status, headers, body }: TrackingResponse): void {
  response.writeHead(status, { ...headers, 'Content-Length': body.length }).end(body);
}

type TrackingResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** What the request reports; null if it reports nothing. */
  readonly hit: TrackedPart | null;
};

/** A transparent image of one pixel. */
const IMAGE = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');

/** Every request must reach us, and the page behind a link must not learn where the reader comes from. */
const COMMON_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
} as const;

/**
 * The kind and the token. Programs append characters to links, such as a full stop or `%3E`, encode hyphens (RFC 3986,
 * 2.3), and send the whole URL (RFC 9112, 3.2.2).
 */
const PATH = /^(?:https?:\/\/[^/?]+)?(?:\/[^?]*)?\/([oc])\/((?:[\w-]|%2[Dd])+)/;

/**
 * The response to a request, which needs no query. A path that we did not create is never redirected. HEAD reports
 * nothing, because programs use it to check links.
 */
function buildResponse(method: string, url: string, readToken: ParseTrackingToken): TrackingResponse {
  if (url === '/healthz') return toTextResponse(200, 'ok');
  const [, kind, token = ''] = PATH.exec(url) ?? [];
  const part = kind === undefined ? null : readToken(token.replace(/%2d/gi, '-'));
  if (!part || (kind === 'c') !== (part.url !== null)) return toTextResponse(404, 'Not found');
  if (method !== 'GET' && method !== 'HEAD') return { ...toTextResponse(405, 'Method not allowed'), headers: ALLOWED };
  const hit = method === 'GET' ? part : null;
  if (part.url === null)
    return { status: 200, headers: { ...COMMON_HEADERS, 'Content-Type': 'image/gif' }, body: IMAGE, hit };
  return { status: 302, headers: { ...COMMON_HEADERS, Location: part.url }, body: Buffer.alloc(0), hit };
}

const TEXT_HEADERS = { ...COMMON_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' } as const;
const ALLOWED = { ...TEXT_HEADERS, Allow: 'GET, HEAD' } as const;

function toTextResponse(status: number, body: string): TrackingResponse {
  return { status, headers: TEXT_HEADERS, body: Buffer.from(`${body}\n`), hit: null };
}

/** A proxy asks here, as in `/tls-check?domain=links.acme.example`, before it gets a certificate for a host. */
const TLS_CHECK_PATH = '/tls-check';

/** 200 if links of ours lead to the host, 404 if not, and 503 while Postgres is down. */
async function answerTlsCheck(ctx: Pick<Context, 'config' | 'db' | 'log'>, url: string): Promise<TrackingResponse> {
  const host = new URLSearchParams(url.split('?')[1]).get('domain') ?? '';
  try {
    return (await servesTrackingHost(ctx, host))
      ? toTextResponse(200, 'ok')
      : toTextResponse(404, 'No links lead to this host');
  } catch (error) {
    if (!isUnavailable(error)) ctx.log.error({ error }, 'certificate_check_failed');
    return toTextResponse(503, 'The database cannot be reached');
  }
}
