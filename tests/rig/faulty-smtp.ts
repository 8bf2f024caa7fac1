import { join } from 'node:path';
import { forkProgram, type Moment } from '@posthorn/testing';

/** A message that the mail server has, whether or not its reply arrived. */
export type Handoff = {
  readonly at: number;
  readonly messageId: string;
  /** The envelope sender. */
  readonly returnPath: string;
  /** The address in the message's From header. */
  readonly from: string;
  readonly to: readonly string[];
  /** Hex SHA-256 of the attached file; null if there is none. */
  readonly fileSha256: string | null;
};

/** How the server reacts at one point in every SMTP conversation, whatever the recipient's address asks for. */
export type ReplyOverride = {
  readonly moment: Moment;
  /** `drip` sends a byte now and then, and never finishes the reply. */
  readonly how: 'cut' | 'drip' | 'say' | 'sayAndCut';
  readonly reply?: string;
  /** Applies only this many times; always if omitted. */
  readonly times?: number;
  /** Applies only to senders at this domain; to all if omitted. */
  readonly senderDomain?: string;
};

/**
 * A mail server of a rig. It runs in its own process. If it ran in the process that kills workers, it might read a
 * message only after the worker has died, and count it as taken although the server could not have replied.
 */
export type FaultySmtp = {
  readonly port: number;
  /** Every message that a real server would now deliver, in order of arrival. */
  readonly handoffs: readonly Handoff[];
  overrideReplies(override: ReplyOverride): Promise<void>;
  /** Drops all open connections, and every new one as soon as it opens. */
  dropConnections(): Promise<void>;
  /** Ends `overrideReplies` and `dropConnections`. */
  restore(): Promise<void>;
  /** Resolves when `handoffs` contains every message that the server has. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
};

export type ServerCommand =
  | { readonly what: 'override'; readonly override: ReplyOverride }
  | { readonly what: 'dropConnections' | 'restore' | 'catchUp' | 'close' };

export type ServerEvent =
  | { readonly port: number }
  | { readonly handoff: Handoff }
  | { readonly done: ServerCommand['what'] };

/** @param journalFile where to keep the handoffs in case the run itself dies */
export async function startFaultySmtp(journalFile: string): Promise<FaultySmtp> {
  const program = forkProgram(join(import.meta.dirname, 'faulty-smtp-process.ts'), [journalFile]);
  const { process: child } = program;
  const handoffs: Handoff[] = [];
  const waiting: Array<() => void> = [];
  const { port } = await program.next<{ port: number }>();
  child.on('message', (event: ServerEvent) => {
    if ('handoff' in event) handoffs.push(event.handoff);
    else waiting.shift()?.();
  });

  // Events arrive in the order in which they were sent: once `done` has arrived, so have all earlier handoffs.
  function run(command: ServerCommand): Promise<void> {
    child.send(command);
    return Promise.race([new Promise<void>((done) => waiting.push(done)), program.failed]);
  }

  return {
    port,
    handoffs,
    overrideReplies: (override) => run({ what: 'override', override }),
    dropConnections: () => run({ what: 'dropConnections' }),
    restore: () => run({ what: 'restore' }),
    catchUp: () => run({ what: 'catchUp' }),
    async close() {
      await run({ what: 'close' });
      await program.stop();
    },
  };
}
