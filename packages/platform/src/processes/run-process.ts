import { setFlagsFromString } from 'node:v8';
import { ConfigError } from '@posthorn/platform/config';
import { createLog } from '@posthorn/platform/logs';
import { PoolerError, SchemaError } from '@posthorn/platform/postgres';

/**
 * How much garbage may pile up before V8 collects it, as a percentage of the heap in use. By default, V8 lets the heap
 * grow to four times the size in use, which made nothing here measurably faster. The space for new objects comes on top.
 * It has up to 96 MB.
 */
const HEAP_GROWTH_PERCENT = 50;

/**
 * Starts a long-running process. It stops on SIGTERM or SIGINT, or when the parent that holds its IPC channel exits. On
 * an uncaught error, it exits at once.
 * @param start opens everything and returns a function that closes it. Its parameter is a function that stops the process
 *   with exit code 1, so that its supervisor starts it again
 */
export async function runProcess(
  name: string,
  start: (restart: (reason: string) => void) => Promise<() => Promise<void>>,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const log = createLog(name, 'info');
  // Node would print the error with every property that the Postgres and Redis clients attach to it.
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (error: unknown) => {
      log.error({ error }, event === 'uncaughtException' ? 'uncaught_exception' : 'unhandled_rejection');
      process.exit(1);
    });
  }
  const hadParent = process.connected;
  try {
    let stop: (() => Promise<void>) | null = null;
    let stopping = false;
    const stopOnce = (reason: string, exitCode = 0) => {
      if (stopping) return;
      stopping = true;
      log.info({ reason }, 'stopping');
      // A process that is still starting has nothing to finish.
      if (stop === null) process.exit(exitCode);
      stop().then(
        () => process.exit(exitCode),
        (error) => {
          log.error({ error }, 'stop_failed');
          process.exit(1);
        },
      );
    };
    // As the first process of a container, a process without these handlers would ignore both signals.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopOnce(signal));
    process.on('disconnect', () => stopOnce('parent_exited'));
    stop = await start((reason) => stopOnce(reason, 1));
    if (hadParent && !process.connected) stopOnce('parent_exited');
  } catch (error) {
    const isExplained = error instanceof ConfigError || error instanceof PoolerError || error instanceof SchemaError;
    if (isExplained) process.stderr.write(`${error.message}\n`);
    else log.error({ error }, 'start_failed');
    process.exit(1);
  }
}
