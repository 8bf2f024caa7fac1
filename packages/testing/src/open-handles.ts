import { untilNone } from './until-none.js';

/** Child processes, servers and UDP sockets, as Node names them. */
const KINDS = ['ProcessWrap', 'TCPServerWrap', 'PipeServerWrap', 'UDPWRAP'];

/** What was open before the current file, or is kept for later files. Only more than this is reported. */
let baseline = countHandles();

function countHandles(): Map<string, number> {
  const active = process.getActiveResourcesInfo();
  return new Map(KINDS.map((kind) => [kind, active.filter((each) => each === kind).length]));
}

/** Opens what this Jest worker keeps for later files, so it is not reported as left open. */
export async function keepOpen<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  const before = countHandles();
  const opened = await open();
  const after = countHandles();
  const kept = (kind: string) => (after.get(kind) ?? 0) - (before.get(kind) ?? 0);
  baseline = new Map(KINDS.map((kind) => [kind, (baseline.get(kind) ?? 0) + kept(kind)]));
  return opened;
}

/** Every file calls this at its end. @throws Error if the file left processes, servers or UDP sockets open */
export async function expectNoHandles(): Promise<void> {
  const left = await untilNone(leftHandles);
  baseline = countHandles();
  if (left.length > 0) throw new Error(`The file left open: ${left.join(', ')}.`);
}

function leftHandles(): string[] {
  return [...countHandles()].flatMap(([kind, count]) => {
    const more = count - (baseline.get(kind) ?? 0);
    return more > 0 ? [`${more} x ${kind}`] : [];
  });
}
