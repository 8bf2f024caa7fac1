import type { Caller, Scope } from '@posthorn/domain';
import type { Request } from 'express';
import type { ObjectSchema, Schema } from 'joi';
import type { ApiContext } from './context.js';

/**
 * Who may call a route. It has no default: a route that does not say cannot exist.
 * - public: anybody
 * - any: every valid key and every session
 * - session, owner: dashboard sessions only, any member's or an owner's
 * - a scope: keys that have it, and sessions
 */
export type Access = 'public' | 'any' | 'session' | 'owner' | Scope;

/** What a handler gets: everything is checked already. */
export type RouteRequest<Body = unknown, Query = unknown> = {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The request itself, for the few that need a header or the peer's address. */
  readonly request: Request;
};

export type RouteResponse = {
  readonly status: number;
  /** An object becomes JSON, a string is sent as it is. */
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A document of the dashboard, which may run its own scripts; nothing else may. */
  readonly for?: 'dashboard';
};

export type Route = {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  readonly path: string;
  readonly access: Access;
  /** Of the sessions that a scope lets in, only owners'. */
  readonly ownersOnly?: boolean;
  /** One line for the API reference. */
  readonly summary: string;
  /** Shape of the JSON body; without it a body is not read. */
  readonly body?: Schema;
  /** A faster way to read the bodies that are most: what `body` would make of one, or null to leave it to `body`. */
  readonly readPlain?: (body: unknown) => unknown;
  /** Shape of the query string; without it the query is ignored. */
  readonly query?: ObjectSchema;
  /** A send: refusals of its body count against the rate limit like sends that pass. */
  readonly isSend?: boolean;
  readonly handle: (ctx: ApiContext, call: RouteRequest) => Promise<RouteResponse>;
};

/** Declares a route whose handler knows the types that its schemas let through. */
export function route<Body = undefined, Query = undefined>(
  declared: Omit<Route, 'handle'> & {
    handle(ctx: ApiContext, call: RouteRequest<Body, Query>): Promise<RouteResponse>;
  },
): Route {
  return declared as Route;
}
