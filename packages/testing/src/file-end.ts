import { expectNoHandles } from './open-handles.js';
import { expectNoConnections } from './test-database.js';

type Close = () => Promise<void>;

const closers: Close[] = [];

/** Calls `close` after all tests of the current file. */
export function atFileEnd(close: Close): void {
  closers.push(close);
}

/** Closes what the file kept open, the last first. @throws AggregateError if something could not be closed */
export async function endFile(): Promise<void> {
  const faults: unknown[] = [];
  for (const close of [...closers.splice(0).reverse(), expectNoConnections, expectNoHandles])
    await close().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw new AggregateError(faults, faults.map((fault) => (fault as Error).message).join('\n'));
}
