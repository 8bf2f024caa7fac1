import type { OperationId } from '@posthorn/contract';
import type { Caller } from '@posthorn/domain/accounts';
import type { RateLimitState } from '@posthorn/domain/errors';
import type { RequestKind } from '@posthorn/domain/throttles';
import type { Request, Response } from 'express';
import type { ObjectSchema, Schema } from 'joi';
import type { ApiContext } from '../context/api-context.js';
import type { ProblemCode } from '../http/http-errors.js';
import type { Access } from './access.js';

/** What a handler gets. The caller has access to the route, and the query and body are valid. */
export type RouteRequest<Body = unknown, Query = unknown> = {
  readonly caller: Caller;
  readonly requestId: string;
  /** The W3C traceparent under which the request is traced, if it is. */
  readonly traceparent: string | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** For the few routes that need a header or the client's IP address. */
  readonly request: Request;
  /** For the few routes that reserve memory before they build a large body. */
  readonly response: Response;
};

export type RouteResponse = {
  readonly status: number;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: object | string;
  /** A large body that is already encoded, instead of `body`. */
  readonly pieces?: readonly Buffer[];
  /** A body of unknown length, instead of `body`. The request gives up its turn before the first piece is read. */
  readonly stream?: AsyncIterator<string | Buffer>;
  /** Each value of an array becomes a header line of its own. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** For the RateLimit-* headers. By default, the rate limit that the request counted against; null for no headers. */
  readonly rate?: RateLimitState | null | undefined;
  /** For an HTML page: the app whose scripts and styles it may load. No other response can run scripts. */
  readonly page?: 'dashboard' | 'docs' | 'unsubscribe';
};

export type Route = {
  /** Names the operation in the OpenAPI document and in generated clients. `Operations` has the types of its bodies. */
  readonly operationId: OperationId;
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  /** The allowed values of path parameters that are neither ids nor versions, by parameter name. */
  readonly pathValues?: Readonly<Record<string, readonly string[]>>;
  readonly access: Access;
  /**
   * For a list of scopes in `access`: whether a key that is restricted to sending domains can call the route, because
   * the handler keeps it to what belongs to these domains. Other routes refuse such keys. Routes that every key can call
   * are about nothing that belongs to a domain.
   */
  readonly keepsToDomains?: boolean;
  /** For a list of scopes in `access`: whether owners' sessions have access, but members' sessions do not. */
  readonly ownersOnly?: boolean;
  readonly summary: string;
  /** The status of a successful response; 200 by default. */
  readonly success?: 201 | 202 | 204;
  /** The content type of a successful response; JSON by default. */
  readonly contentType?:
    | 'application/json'
    | 'text/html'
    | 'text/css'
    | 'text/javascript'
    | 'text/plain'
    | 'message/rfc822'
    | 'application/x-ndjson';
  /** Another content type that a client can ask for. */
  readonly alsoContentType?: 'text/csv';
  /** Other statuses with the same kind of body as a successful response. */
  readonly alsoResponds?: readonly (401 | 404 | 406 | 503)[];
  /** Whether a successful response sets or deletes the session cookie. */
  readonly setsCookie?: boolean;
  /** The problems that the route's own rules add to those that follow from the rest of this declaration. */
  readonly problems?: readonly ProblemCode[];
  /** Schema of the JSON body. If it accepts `{}`, the body can be left out. Without it, a body must be empty or `{}`. */
  readonly body?: Schema;
  /** For a route that takes a CSV file instead of JSON: how large it can be. The handler gets its bytes as a Buffer. */
  readonly maxCsvBytes?: number;
  /** Whether the body is an HTML form instead of JSON. The handler gets its text fields. */
  readonly isForm?: boolean;
  /** Whether the handler reads the body, of any content type, because it decides first whether it takes one. */
  readonly readsBodyItself?: boolean;
  /** Whether other sites may make the request in a browser. Only for a route that reads no cookie. */
  readonly allowsOtherSites?: boolean;
  /** Whether the body is an array. `body` and `fastPath` then apply to each item. */
  readonly isBatch?: boolean;
  /** The path of the route that takes an array of these bodies. */
  readonly batchPath?: string;
  /** Reads the most common bodies faster than `body`. Returns the same value, or null to let `body` decide. */
  readonly fastPath?: (body: unknown) => unknown;
  /** Whether the body can contain html or text. If not, it is limited to 64 kB. */
  readonly hasLargeBody?: boolean;
  /** Whether the route reads or returns html or text. A workspace's requests to such routes are handled one by one. */
  readonly hasContent?: boolean;
  /** Whether the handler waits for the turns of the workspace itself. */
  readonly takesOwnTurns?: boolean;
  /**
   * Whether a page of the list can be larger than 64 kB. Once the workspace has used up its byte limit for this
   * minute, such a request is refused before the page is read.
   */
  readonly hasLargePages?: boolean;
  /** Schema of the query string. Without it, the route takes no parameters. */
  readonly query?: ObjectSchema;
  /** Whether any parameters are allowed, because only the dashboard's script reads them. */
  readonly ignoresQuery?: boolean;
  /** Whether the path is that of a link in an email. Some programs add slashes to it, or the markup that follows it. */
  readonly isMailedLink?: boolean;
  /** Whether the route sends email. Its requests then count against the rate limit for email. */
  readonly isSend?: boolean;
  /**
   * For all other routes: the kind of request to count, per key or user; `requests` by default. Public routes count per
   * IP address. Health checks have no limit, because a refused one would take the process out of service. Nor have the
   * files of the docs, because each page needs several of them and they cost nothing.
   */
  readonly rateLimit?: RequestKind | 'none';
  readonly handle: (ctx: ApiContext, request: RouteRequest) => Promise<RouteResponse>;
};

/** Declares a route whose handler is typed with the values of its schemas. */
export function defineRoute<Body = undefined, Query = undefined>(
  declared: Omit<Route, 'handle'> & {
    handle(ctx: ApiContext, request: RouteRequest<Body, Query>): Promise<RouteResponse>;
  },
): Route {
  return declared as Route;
}
