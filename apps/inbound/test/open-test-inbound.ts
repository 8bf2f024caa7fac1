import { type Context, openContext } from '@posthorn/platform';
import { createTransport } from 'nodemailer';
import type { Registry } from 'prom-client';
import { startInbound } from '../src/start-inbound.js';

export type TestInbound = {
  readonly port: number;
  readonly registry: Registry;
  /**
   * Sends a message to the listener.
   * @param from the envelope sender; by default the null sender, as in bounces
   * @returns the reply to the message @throws Error with `responseCode` if it is refused
   */
  send(raw: string, envelope: { to: string; from?: string }): Promise<string>;
  close(): Promise<void>;
};

/** Starts a listener on the databases of a test, and processes what it receives. */
export async function openTestInbound({ config, log }: Context): Promise<TestInbound> {
  const { port, registry, stop } = await startInbound(openContext({ ...config, inboundPort: 0 }, 'test', { log }));
  const transport = createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  return {
    port,
    registry,
    async send(raw, { to, from = '' }) {
      return (await transport.sendMail({ envelope: { from, to }, raw })).response;
    },
    async close() {
      transport.close();
      await stop();
    },
  };
}
