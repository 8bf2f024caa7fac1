import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = 60_000;
const POLL_MS = 50;

/** Polls until `look` finds something. @throws Error that names `what` if nothing is found within a minute */
export async function until<Found>(what: string, look: () => Promise<Found | undefined | false>): Promise<Found> {
  for (const deadline = Date.now() + WAIT_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`Gave up after waiting ${WAIT_MS / 1_000} s for ${what}`);
}
