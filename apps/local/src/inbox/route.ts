import type { Mailbox } from './mailbox.js';

/** The stored messages, and the address of the SMTP server that receives them. */
export type Inbox = { readonly mailbox: Mailbox; readonly smtpUrl: string };

export type RouteRequest = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for GET. */
  readonly body: string;
};

export type RouteResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
};

export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:name` matches one segment of the path. */
  readonly path: string;
  readonly handle: (inbox: Inbox, request: RouteRequest) => RouteResponse | Promise<RouteResponse>;
};
