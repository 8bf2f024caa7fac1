import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Problem } from '@posthorn/contract';
import { Refusal } from '@posthorn/domain/errors';
import { newId } from '@posthorn/platform/values';
import type { Express, Request, Response } from 'express';
import { createApp, routes } from './app.js';
import type { ApiContext } from './context/api-context.js';
import { problems } from './http/http-errors.js';
import { countRequestByAddress } from './request-steps/count-request.js';
import { buildRouteHandler } from './request-steps/route-handler.js';
import { sendProblem } from './request-steps/send-problem.js';

const CLOSE_IDLE_EVERY_MS = 50;

/** Time limits for clients. Node's defaults are 1 minute for headers, 5 for a request and none for a response. */
export const httpTimeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 65_000,
  /** How long a connection may be silent in both directions, such as when the client does not read its response. */
  idleMs: 60_000,
  checkEveryMs: 5_000,
} as const;

/** Starts the HTTP server. Slow clients are disconnected after `httpTimeouts`. */
export async function listen(
  ctx: ApiContext,
  { headersMs, requestMs, keepAliveMs, idleMs, checkEveryMs }: Record<keyof typeof httpTimeouts, number> = httpTimeouts,
): Promise<{ server: Server; url: string }> {
  const app = createApp(ctx);
  const dispatch = buildDispatcher(ctx, app);
  const server = createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: checkEveryMs,
      maxHeaderSize: 16_384,
      ...defineHttpClasses(app),
    },
    dispatch,
  );
  server.timeout = idleMs;
  // By default Node silently drops headers after the first thousand. Their size is limited anyway.
  server.maxHeadersCount = 0;
  // An unknown Expect header can be ignored (RFC 9110, 10.1.1). Node itself would refuse it, without a request id.
  server.on('checkExpectation', dispatch);
  refuseInvalidHttp(server, `${ctx.config.publicUrl}/docs`);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(ctx.config.port, ctx.config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://${ctx.config.host}:${port}` };
}

/** Stops accepting connections and lets running requests finish, for at most `graceMs`. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // A connection becomes idle only after its response is sent, so this repeats until all are closed.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  const forceClose = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(forceClose);
  clearInterval(closeIdle);
}

/** Longer than any path that exists. Express would compare a longer URL with every route. */
const MAX_URL_CHARACTERS = 4_000;

/**
 * Looks up routes without path parameters in a map. All other requests go to Express, which tries the routes one after
 * another. Either way, the same handler runs.
 * @param app the Express app whose requests and responses the server creates
 */
function buildDispatcher(ctx: ApiContext, app: Express): RequestListener {
  const exact = new Map(
    routes
      .filter(({ path }) => !path.includes(':'))
      .map((route) => [`${route.method.toUpperCase()} ${route.path}`, buildRouteHandler(ctx, route)]),
  );
  const fail = sendProblem(ctx);
  const mayWait = buildPipelineGuard();

  function refuseUrl(request: Request, response: Response): void {
    try {
      countRequestByAddress(ctx, request, response);
      fail(new Refusal('not_found', { what: 'path' }), request, response);
    } catch (error) {
      fail(error, request, response);
    }
  }

  function respond(request: Request, response: Response): void {
    // Node then adds `Connection: close`, so that the client makes its next request to another process.
    if (ctx.server.isStopping) response.shouldKeepAlive = false;
    // A pipelined response gets its socket only when the responses before it have been sent.
    if (response.socket === null && !mayWait(request, response)) return;
    // The request id goes into the response, the logs and problem details. The metrics need the start time.
    response.locals = {
      requestId: newId(),
      traceparent: undefined,
      startedAt: performance.now(),
      route: undefined,
      caller: null,
      rate: undefined,
      turn: null,
    };
    const handle = exact.get(`${request.method} ${request.url}`);
    if (!handle) {
      if (request.url.length <= MAX_URL_CHARACTERS) app(request, response);
      else refuseUrl(request, response);
      return;
    }
    request.params = {};
    handle(request, response)
      .catch((error) => fail(error, request, response))
      // Sending the problem details failed too. Without this, the request would stay open.
      .catch(() => response.destroy());
  }
  return respond as RequestListener;
}

/**
 * Most HTTP libraries and browsers wait for a response before they send the next request. Clients that pipeline rarely
 * need more than this.
 */
const MAX_WAITING_REQUESTS = 20;

/**
 * Bounds how many requests on one connection wait behind the one that is being answered. A thousand small requests fit
 * into one 64 kB chunk, and Node starts all of them at the same time.
 * @returns a function that closes the connection and returns false if too many requests are waiting
 */
function buildPipelineGuard(): (request: Request, response: Response) => boolean {
  const waiting = new WeakMap<Socket, number>();
  const add = (socket: Socket, requests: number) => waiting.set(socket, (waiting.get(socket) ?? 0) + requests);
  return ({ socket }, response) => {
    if (socket.destroyed) return false;
    if ((waiting.get(socket) ?? 0) >= MAX_WAITING_REQUESTS) {
      socket.destroy();
      return false;
    }
    add(socket, 1);
    response.once('close', () => add(socket, -1));
    return true;
  };
}

/**
 * Classes for Node's HTTP server whose objects are Express requests and responses from the start. Otherwise Express
 * would change the prototype of every request and response, which makes these objects slow and costs as much as
 * everything else that Express does. They are subclasses because V8 then knows how many properties an object will have.
 */
function defineHttpClasses(app: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  class Request extends IncomingMessage {}
  class Response<Of extends IncomingMessage> extends ServerResponse<Of> {}
  app.request = Object.setPrototypeOf(Request.prototype, app.request);
  app.response = Object.setPrototypeOf(Response.prototype, app.response);
  return { IncomingMessage: Request, ServerResponse: Response };
}

const invalidHttp: Readonly<Record<string, Pick<Problem, 'status' | 'detail'>>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    detail: 'The request headers are larger than the limit of 16 kB. Send fewer or shorter headers.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    detail: 'The request did not arrive in time. Send the headers within 10 seconds and the whole request within 30.',
  },
};

const NOT_HTTP = {
  status: 400,
  detail: 'The request is not valid HTTP/1.1 (RFC 9112). Check the client and any proxy in front of this server.',
};

/** Node refuses invalid HTTP before any route sees it. This sends problem details, as for any other refusal. */
function refuseInvalidHttp(server: Server, docsUrl: string): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const { status, detail } = invalidHttp[error.code ?? ''] ?? NOT_HTTP;
    const problem: Problem = {
      type: `${docsUrl}#bad_request`,
      title: problems.bad_request.title,
      status,
      detail,
      code: 'bad_request',
      request_id: newId(),
    };
    const body = JSON.stringify(problem);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${problem.request_id}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
