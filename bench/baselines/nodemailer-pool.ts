import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';

/**
 * A bare loop around a nodemailer pool: no queue, no database, nothing remembered. It is told over IPC
 * how many to send of what, and says when it is done.
 * - composed: nodemailer builds each message
 * - raw: it is given them
 * - raw-signed: the same, but each waits for one RSA signature made on the thread pool, as DKIM's at the
 *   least costs: over as many bytes as the headers it signs, without canonical forms and body hash
 */
export type Way = 'composed' | 'raw' | 'raw-signed';
export type Order = { readonly count: number; readonly html: string; readonly text: string; readonly way: Way };

const SIGNED_BYTES = 500;
const signAside = promisify<string, Buffer, KeyObject, Buffer>(sign);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const transport = createTransport({
  host: '127.0.0.1',
  port: Number(process.env.SMTP_PORT),
  pool: true,
  maxConnections: Number(process.env.CONNECTIONS),
  maxMessages: Number.POSITIVE_INFINITY,
  ignoreTLS: true,
});

process.on('message', (order: Order) => {
  void sendAll(order).then((ms) => process.send?.(ms));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function sendAll({ count, html, text, way }: Order): Promise<number> {
  const [from, to] = ['bench@posthorn.localhost', 'jane@example.com'];
  const mail = { from, to, subject: 'Your order has been shipped', html, text };
  const raw = await new MailComposer(mail).compile().build();
  const signed = raw.subarray(0, SIGNED_BYTES);
  const ways: Record<Way, () => Promise<unknown>> = {
    composed: () => transport.sendMail(mail),
    raw: () => transport.sendMail({ envelope: { from, to }, raw }),
    'raw-signed': async () => {
      await signAside('sha256', signed, privateKey);
      await ways.raw();
    },
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: count }, ways[way]));
  return performance.now() - began;
}
