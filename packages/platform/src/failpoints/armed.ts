import { type FailpointName, failpointNames } from './none.js';

type Action = 'kill' | 'block';

type Armed = { readonly name: FailpointName; readonly action: Action; readonly atHit: number; readonly ms: number };

/** `name:kill` or `name:block:<ms>`. With `@n` after the name, the n-th hit triggers it. */
const FORM = /^(?<name>[a-z_]+)(?:@(?<hit>\d+))?:(?<action>kill|block)(?::(?<ms>\d+))?$/;

const armed = process.env.FAILPOINT ? toArmed(process.env.FAILPOINT) : null;
let hits = 0;

/**
 * Kills or blocks the process if FAILPOINT names this failpoint. It does so only once, at the n-th hit. A process loads
 * this file instead of `none` only if Node runs with the condition `@posthorn/faults`; no setting of the service
 * enables it.
 */
export function failpoint(name: FailpointName): void {
  if (name !== armed?.name) return;
  hits += 1;
  if (hits !== armed.atHit) return;
  process.stderr.write(`failpoint ${name}: ${armed.action}\n`);
  act(armed);
}

function act({ action, ms }: Armed): void {
  switch (action) {
    case 'kill':
      process.kill(process.pid, 'SIGKILL');
      return;
    case 'block':
      // Stops the whole process, timers and heartbeats included.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      return;
  }
}

function toArmed(text: string): Armed {
  const { name, hit = '1', action, ms = '0' } = FORM.exec(text)?.groups ?? {};
  const knownName = failpointNames.find((candidate) => candidate === name);
  if (knownName === undefined) throw new Error(`FAILPOINT=${text} is not name[@hit]:kill or name[@hit]:block:ms`);
  return { name: knownName, action: action as Action, atHit: Number(hit), ms: Number(ms) };
}
