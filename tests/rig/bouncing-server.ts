import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import type { Handoff } from './faulty-smtp.js';
import type { Rig } from './open-rig.js';
import { dsn } from './reports.js';

const RETRY_MS = 1_000;
const POLL_MS = 5;

/** A mail server that accepts messages and finds out only then that some recipients do not exist. */
export type BouncingServer = {
  /** The recipients that bounced. */
  readonly bounced: ReadonlySet<string>;
  /** How many times the listener refused a bounce for the moment, or broke the connection. */
  retries(): number;
  /** Resolves when every bounce has been accepted. */
  stop(): Promise<void>;
};

/**
 * Sends a bounce for half of the recipients as soon as it has their message, which is often before the worker has
 * recorded that it was sent. Like a real server, it keeps a bounce until the listener answers 250. Some it sends twice.
 */
export function startBouncingServer({ smtp, random }: Pick<Rig, 'smtp' | 'random'>, port: number): BouncingServer {
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true, pool: true });
  const decisions = new Map<string, boolean>();
  const bounced = new Set<string>();
  const sending: Array<Promise<void>> = [];
  let isOver = false;
  let retries = 0;

  async function send({ returnPath }: Handoff, address: string): Promise<void> {
    const envelope = { from: '', to: returnPath };
    for (;;) {
      try {
        await transport.sendMail({ envelope, raw: dsn({ address }) });
        return;
      } catch {
        retries += 1;
        await sleep(RETRY_MS);
      }
    }
  }

  function read(handoff: Handoff): void {
    for (const address of handoff.to) {
      const bounces = decisions.get(address) ?? random.next() < 0.5;
      decisions.set(address, bounces);
      if (!bounces) continue;
      bounced.add(address);
      const copies = random.next() < 0.2 ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) sending.push(send(handoff, address));
    }
  }

  async function run(): Promise<void> {
    for (let next = 0; !isOver || next < smtp.handoffs.length; await sleep(POLL_MS))
      while (next < smtp.handoffs.length) read(smtp.handoffs[next++] as Handoff);
  }

  const running = run();
  return {
    bounced,
    retries: () => retries,
    async stop() {
      isOver = true;
      await running;
      await Promise.all(sending);
      transport.close();
    },
  };
}
