import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensureBrowser } from '@posthorn/servers';
import type { BrowserServer } from 'playwright-core';
import { type Preparation, serveBrowser } from './launch-browser.js';

const ROOT = join(import.meta.dirname, '../..');
const BUILD = join(ROOT, 'apps/dashboard/build.mjs');

let server: BrowserServer | undefined;

/** Progress goes to standard error. */
function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function prepare(): Promise<Preparation> {
  try {
    server = await serveBrowser(await ensureBrowser(log));
  } catch (error) {
    log(`\nSKIPPED: every test in tests/browser. ${getMessage(error)}\n`);
    return { endpoint: null };
  }
  return promisify(execFile)(process.execPath, [BUILD]).then(
    () => ({ endpoint: server?.wsEndpoint() ?? null }),
    ({ stdout, stderr }) => ({ endpoint: null, failure: `Building the dashboard failed:\n${stdout}${stderr}` }),
  );
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const prepared = prepare();

/** The parent has finished or was killed. Ctrl-C is ignored, because the parent decides when to stop. */
process.once('disconnect', async () => {
  await prepared;
  await server?.close();
  process.exit();
});
process.on('SIGINT', () => {});

process.send?.(await prepared);
