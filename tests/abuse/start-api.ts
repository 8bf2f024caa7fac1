import { join } from 'node:path';
import { findFreePort } from '@posthorn/servers';
import { type Child, startChild } from '../../bench/support/child.js';
import type { Stack } from '../../bench/support/stack.js';

export const ROOT = join(import.meta.dirname, '../..');

/** Lets `longestBlock` ask the API. */
export const RECORD_BLOCKING: readonly string[] = ['--import', join(import.meta.dirname, 'costs/record-blocking.mjs')];

/** Starts the built API, as in production. @returns the process and where it listens */
export async function startApi(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  nodeArgs: readonly string[] = [],
): Promise<Child & { readonly url: string }> {
  const port = await findFreePort();
  const all = { ...stack.env, LOG_LEVEL: 'info', PORT: String(port), ...env };
  const child = await startChild(join(ROOT, 'apps/api/dist/main.js'), all, { isReady: /api_listening/, nodeArgs });
  return { ...child, url: `http://127.0.0.1:${port}` };
}
