import { join } from 'node:path';
import { findFreePort } from '@posthorn/servers';
import autocannon from 'autocannon';
import { type Child, startChild } from '../support/child.js';
import { type Sink, startSink } from '../support/smtp-sink.js';
import type { Stack } from '../support/stack.js';

const ROOT = join(import.meta.dirname, '../..');

/** An API that uses a stack, and a mail server for workers. */
export type Service = {
  readonly stack: Stack;
  readonly api: Child;
  readonly sink: Sink;
  /** The URL for sending emails. */
  readonly url: string;
  /** Stops the API and the mail server, but not the stack. */
  close(): Promise<void>;
};

export async function openService(stack: Stack): Promise<Service> {
  const sink = await startSink();
  const port = await findFreePort();
  const api = await startChild(
    join(ROOT, 'apps/api/dist/main.js'),
    { ...stack.env, NODE_ENV: 'bench', PORT: String(port) },
    { isReady: /api_listening/ },
  );
  return {
    stack,
    api,
    sink,
    url: `http://127.0.0.1:${port}/api/v1/emails`,
    async close() {
      await api.stop();
      await sink.stop();
    },
  };
}

export function startWorker({ stack, sink }: Service): Promise<Child> {
  return startChild(
    join(ROOT, 'apps/worker/dist/main.js'),
    { ...stack.env, NODE_ENV: 'bench', SMTP_URL: sink.url },
    { isReady: /worker_ready/ },
  );
}

export type Load = { readonly connections: number } & ({ readonly duration: number } | { readonly amount: number });

/**
 * Sends the same email repeatedly. Each connection sends the next request once it has the response to the last one.
 * @returns how many emails were accepted
 * @throws Error if any email was not
 */
export async function load({ url, stack }: Service, body: object, extent: Load): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: buildHeaders(stack.key),
    body: JSON.stringify(body),
    ...extent,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} requests were rejected, ${result.errors} failed`);
  return result['2xx'];
}

/** @returns the id of the email */
export async function sendOne({ url }: Service, key: string, body: object): Promise<string> {
  const response = await fetch(url, { method: 'POST', headers: buildHeaders(key), body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`An email was rejected: ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  return id;
}

function buildHeaders(key: string) {
  return { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
}
