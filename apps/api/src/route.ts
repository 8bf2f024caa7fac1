import type { Caller } from '@posthorn/domain';
import type { Request } from 'express';
import type { ObjectSchema, Schema } from 'joi';
import type { Access } from './access.js';
import type { ApiContext } from './context.js';

/** What a handler gets. The caller has access to the route, and the query and body are valid. */
export type RouteRequest<Body = unknown, Query = unknown> = {
  readonly caller: Caller;
  /** The X-Request-Id of the response. */
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** For the few routes that need a header or the client's address. */
  readonly request: Request;
};

export type RouteResponse = {
  readonly status: number;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: object | string;
  /** Several values become several header lines. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Whether this is a dashboard page, which can run its own scripts. No other response can run scripts. */
  readonly isDashboardPage?: boolean;
};

export type Route = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly access: Access;
  /** If `access` is a list of scopes: owners' sessions have access, and members' sessions do not. */
  readonly ownersOnly?: boolean;
  /** One line for the API reference. */
  readonly summary: string;
  /** Schema of the JSON body. Without it, a body must be empty or `{}`. */
  readonly body?: Schema;
  /** Reads the most common bodies faster than `body`. Returns the same value, or null to let `body` decide. */
  readonly fastPath?: (body: unknown) => unknown;
  /** Schema of the query string. Without it, the route takes no parameters. */
  readonly query?: ObjectSchema;
  /** Whether any parameters are allowed, because only the dashboard's script reads them. */
  readonly ignoresQuery?: boolean;
  /** Whether the route sends an email. If so, requests that it refuses also count against the rate limit. */
  readonly isSend?: boolean;
  readonly handle: (ctx: ApiContext, request: RouteRequest) => Promise<RouteResponse>;
};

/** Declares a route whose handler is typed with the values of its schemas. */
export function route<Body = undefined, Query = undefined>(
  declared: Omit<Route, 'handle'> & {
    handle(ctx: ApiContext, request: RouteRequest<Body, Query>): Promise<RouteResponse>;
  },
): Route {
  return declared as Route;
}
