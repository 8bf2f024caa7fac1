import { ensureBrowser } from '@posthorn/servers';
import { buildDashboard } from './build-dashboard.js';
import type { Preparation } from './preparation.js';

/** Progress goes to standard error; standard output carries the result. */
function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function prepare(): Promise<Preparation> {
  let program: string;
  try {
    program = await ensureBrowser(log);
  } catch (error) {
    log(`\nSKIPPED: every test in tests/browser. ${messageOf(error)}\n`);
    return { program: null };
  }
  return buildDashboard(log).then(
    () => ({ program }),
    (error: unknown) => ({ program, failure: messageOf(error) }),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

process.stdout.write(JSON.stringify(await prepare()));
