import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Moment } from '@posthorn/testing';

/** A message that the server has, whether or not its answer arrived. */
export type Handoff = {
  readonly at: number;
  readonly messageId: string;
  /** The address in the message's From. */
  readonly from: string;
  readonly to: readonly string[];
};

/** What everybody is met with at a moment of the conversation, whatever their address asks for. */
export type ReplyOverride = {
  readonly moment: Moment;
  /** `drip` is never silent and never done. */
  readonly how: 'cut' | 'drip' | 'say' | 'sayAndCut';
  readonly reply?: string;
  /** The first so many times; without it always. */
  readonly times?: number;
};

/**
 * The mail server of a rig. It is a process of its own: if it shared the turns of an event loop with
 * whoever kills workers, it would take messages of the dead that it cannot have answered.
 */
export type FaultySmtp = {
  readonly port: number;
  /** What a real server would deliver now, in the order it came. */
  readonly handoffs: readonly Handoff[];
  overrideReplies(override: ReplyOverride): Promise<void>;
  /** Breaks every connection, and each new one at once. */
  dropConnections(): Promise<void>;
  /** Everybody is again met as their address asks for. */
  restore(): Promise<void>;
  /** @returns when all that the server has is among `handoffs` */
  catchUp(): Promise<void>;
  close(): Promise<void>;
};

export type Order =
  | { readonly what: 'treat'; readonly override: ReplyOverride }
  | { readonly what: 'dropConnections' | 'restore' | 'catchUp' | 'close' };

export type Report = { readonly port: number } | { readonly handoff: Handoff } | { readonly done: Order['what'] };

/** @param ledgerFile keeps the handoffs, should the run itself die */
export async function startFaultySmtp(ledgerFile: string): Promise<FaultySmtp> {
  const child = fork(join(import.meta.dirname, 'faulty-smtp-process.ts'), [ledgerFile], {
    execArgv: ['--import', 'tsx', '--conditions=@posthorn/source'],
  });
  const handoffs: Handoff[] = [];
  const waiting: Array<() => void> = [];
  const ended = once(child, 'exit');
  const died = ended.then(([code]) => Promise.reject(new Error(`The mail server ended with ${code}`)));
  // Nobody may be waiting when it ends as it was told.
  died.catch(() => {});
  const [{ port }] = (await Promise.race([once(child, 'message'), died])) as [{ port: number }];
  child.on('message', (report: Report) => {
    if ('handoff' in report) handoffs.push(report.handoff);
    else waiting.shift()?.();
  });

  // Reports come in the order in which things happened: with the answer, all handoffs before it have come.
  function order(wanted: Order): Promise<void> {
    child.send(wanted);
    return Promise.race([new Promise<void>((done) => waiting.push(done)), died]);
  }

  return {
    port,
    handoffs,
    overrideReplies: (override) => order({ what: 'treat', override }),
    dropConnections: () => order({ what: 'dropConnections' }),
    restore: () => order({ what: 'restore' }),
    catchUp: () => order({ what: 'catchUp' }),
    async close() {
      await order({ what: 'close' });
      child.disconnect();
      await ended;
    },
  };
}
