import { setTimeout as sleep } from 'node:timers/promises';

/** Child processes, servers and UDP sockets, as Node names them. */
const KINDS = ['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap', 'UDPWRAP'];

const LEAK_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** What the tests of the worker share. */
let shared = countHandles();

function countHandles(): Map<string, number> {
  const active = process.getActiveResourcesInfo();
  return new Map(KINDS.map((kind) => [kind, active.filter((each) => each === kind).length]));
}

/** What is open now stays open for later files. */
export function shareOpenHandles(): void {
  shared = countHandles();
}

/** Every file calls this at its end. @throws Error if the file left processes, servers or sockets open */
export async function expectNoHandles(): Promise<void> {
  const deadline = Date.now() + LEAK_TIMEOUT_MS;
  let left = leftHandles();
  for (; left.length > 0 && Date.now() < deadline; left = leftHandles()) await sleep(POLL_MS);
  shareOpenHandles();
  if (left.length > 0) throw new Error(`The file left open: ${left.join(', ')}.`);
}

function leftHandles(): string[] {
  return [...countHandles()].flatMap(([kind, count]) => {
    const more = count - (shared.get(kind) ?? 0);
    return more > 0 ? [`${more} x ${kind}`] : [];
  });
}
