import type { Mailbox } from './mailbox.js';

/** What the pages are about: the caught messages, and where to send more. */
export type Inbox = { readonly mailbox: Mailbox; readonly smtpUrl: string };

export type Call = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for a GET. */
  readonly body: string;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
};

export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:name` stands for one part of the path. */
  readonly path: string;
  readonly handle: (inbox: Inbox, call: Call) => Answer | Promise<Answer>;
};
