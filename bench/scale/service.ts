import { join } from 'node:path';
import { freePort } from '@posthorn/servers';
import autocannon from 'autocannon';
import { type Child, startChild } from '../support/child.js';
import { type Sink, startSink } from '../support/smtp-sink.js';
import type { Stack } from '../support/stack.js';

const ROOT = join(import.meta.dirname, '../..');

/** An API on a stack, and a mail server for the workers. */
export type Service = {
  readonly stack: Stack;
  readonly api: Child;
  readonly sink: Sink;
  /** Where emails are posted to. */
  readonly url: string;
  /** Of the API and the mail server; the stack stays. */
  close(): Promise<void>;
};

export async function openService(stack: Stack): Promise<Service> {
  const sink = await startSink();
  const port = await freePort();
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
 * Sends the same email again and again, over each connection the next one when the one before is answered.
 * @returns how many were accepted
 * @throws Error when one was not
 */
export async function load({ url, stack }: Service, body: object, extent: Load): Promise<number> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: headersOf(stack.key),
    body: JSON.stringify(body),
    ...extent,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  return result['2xx'];
}

/** @returns the id of the email */
export async function sendOne({ url }: Service, key: string, body: object): Promise<string> {
  const answer = await fetch(url, { method: 'POST', headers: headersOf(key), body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`An email was refused: ${await answer.text()}`);
  const { id } = (await answer.json()) as { id: string };
  return id;
}

function headersOf(key: string) {
  return { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
}
