import { setTimeout as sleep } from 'node:timers/promises';
import { parseUrl } from '@posthorn/platform/network';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliContext, RunAction } from '../context.js';
import { describeError } from '../errors.js';
import { formatResult, type Result } from '../print.js';
import { readTop } from '../top/read-top.js';

const REFRESH_MS = 1_000;
/** Moves the cursor to the top left and clears the terminal from there. */
const CLEAR = '\u001b[H\u001b[J';

type TopOptions = { readonly once?: true; readonly worker: readonly string[] };

export function addTopCommand(program: Command, run: RunAction): void {
  program
    .command('top')
    .description('show every second who sends, what waits, and which relays and destinations hold mail up')
    .option('--once', 'print it once; this is the default if the output is not a terminal')
    .option('--worker <url>', 'where a worker serves its metrics; can be repeated', addUrl, [] as readonly string[])
    .action((options: TopOptions) =>
      run((ctx) => {
        const urls = options.worker.length > 0 ? options.worker : localWorker(ctx);
        const isLive = process.stdout.isTTY === true && options.once !== true && program.opts().json !== true;
        return isLive ? refresh(ctx, urls) : readTop(ctx.db, urls);
      }),
    );
}

function addUrl(text: string, urls: readonly string[]): readonly string[] {
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? ''))
    throw new InvalidArgumentError('It must be a URL such as http://worker:9464.');
  return [...urls, text];
}

/** The worker of this host, if METRICS_PORT says where it is. */
function localWorker({ env }: CliContext): readonly string[] {
  const { METRICS_PORT: port } = env;
  return port === undefined ? [] : [`http://127.0.0.1:${port}`];
}

/** Ends when Ctrl-C ends the process. */
async function refresh(ctx: CliContext, urls: readonly string[]): Promise<null> {
  for (;;) {
    const result: Result = await readTop(ctx.db, urls).catch((error) => ({ error: describeError(error).message }));
    process.stdout.write(`${CLEAR}${new Date().toISOString()}  (press Ctrl-C to stop)\n\n${formatResult(result)}\n`);
    await sleep(REFRESH_MS);
  }
}
