import { limits } from '@posthorn/domain/limits';
import { Pool } from 'undici';
import type { ReceiverGuard } from '../guard/receiver-guard.js';
import { guardedConnector } from './guarded-connector.js';
import { PostHandler, type PostHandlerOptions, type PostResult } from './post-handler.js';

/** @property body is sent as it is, byte for byte, because its signature is in the headers */
type Post = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** Posts to the URL of one webhook, over connections that stay open between posts. */
export type WebhookClient = {
  /**
   * Makes one attempt, without retries and without following redirects. It never rejects because of the receiver. The
   * timeout includes the time that a post waits for a connection, so there should not be more posts than connections.
   */
  post(post: Post): Promise<PostResult>;
  /** Waits for posts that have begun, and closes all connections. */
  close(): Promise<void>;
};

/** @property timeoutMs for a whole attempt: looking up the name, connecting, sending and reading the response */
type WebhookClientOptions = {
  readonly maxConnections: number;
  readonly timeoutMs?: number;
  readonly now?: () => Date;
};

/**
 * @param url one that `checkWebhookUrl` accepted. Its host is checked again for each connection
 * @throws TypeError if the text is not a URL, and an error of undici if it is neither http nor https
 */
export function openWebhookClient(guard: ReceiverGuard, url: string, options: WebhookClientOptions): WebhookClient {
  const parsed = new URL(url);
  // The name that TLS sends must not end with a dot (RFC 6066, 3).
  parsed.hostname = parsed.hostname.replace(/\.$/, '');
  const { timeoutMs = limits.webhookSeconds.max * 1_000, now = () => new Date() } = options;
  // The timer of each attempt replaces the timeouts of undici.
  const pool = new Pool(parsed.origin, {
    connections: options.maxConnections,
    connect: guardedConnector(guard, { url: parsed, timeoutMs }),
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const path = parsed.pathname + parsed.search;
  const handler: PostHandlerOptions = {
    host: parsed.hostname,
    timeoutMs,
    maxBodyBytes: limits.webhookResponse.max,
    now,
  };
  return {
    post: ({ headers, body }) =>
      new Promise((settle) => {
        pool.dispatch({ method: 'POST', path, headers: allHeaders(headers), body }, new PostHandler(handler, settle));
      }),
    close: () => pool.close(),
  };
}

/** Names and values in turn, which undici takes too. With Node 20, spreading into a new object takes ten times as long. */
function allHeaders(headers: Post['headers']): string[] {
  const all = ['content-type', 'application/json', 'user-agent', 'Posthorn'];
  for (const [name, value] of Object.entries(headers)) all.push(name, value);
  return all;
}
