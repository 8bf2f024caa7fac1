import { untilNone } from './until-none.js';

/** Child processes, servers and UDP sockets, as Node names them. */
const KINDS = ['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap', 'UDPWRAP'];

/** What was open at the last count. Only more than this is reported. */
let baseline = countHandles();

function countHandles(): Map<string, number> {
  const active = process.getActiveResourcesInfo();
  return new Map(KINDS.map((kind) => [kind, active.filter((each) => each === kind).length]));
}

/** Stops reporting what is open now, because the worker keeps it for later files. */
export function ignoreOpenHandles(): void {
  baseline = countHandles();
}

/** Every file calls this at its end. @throws Error if the file left processes, servers or UDP sockets open */
export async function expectNoHandles(): Promise<void> {
  const left = await untilNone(leftHandles);
  ignoreOpenHandles();
  if (left.length > 0) throw new Error(`The file left open: ${left.join(', ')}.`);
}

function leftHandles(): string[] {
  return [...countHandles()].flatMap(([kind, count]) => {
    const more = count - (baseline.get(kind) ?? 0);
    return more > 0 ? [`${more} x ${kind}`] : [];
  });
}
