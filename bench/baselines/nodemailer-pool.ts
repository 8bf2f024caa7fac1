import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';

/**
 * A bare loop around a nodemailer pool, without queue or database. The parent process tells it over IPC what to send,
 * and gets the duration in milliseconds back.
 * - composed: nodemailer builds each message
 * - composed-signed: nodemailer builds each message and signs it with DKIM
 * - raw: nodemailer gets the finished message
 * - raw-signed: like raw, after one RSA signature in the thread pool. This is the minimum cost of DKIM: it signs as
 *   many bytes as the signed headers take up, without canonicalization or a body hash
 */
export type PoolMode = 'composed' | 'composed-signed' | 'raw' | 'raw-signed';
export type PoolOrder = {
  readonly count: number;
  readonly html: string;
  readonly text: string;
  readonly mode: PoolMode;
};

const SIGNED_BYTES = 500;
const signInThreadPool = promisify<string, Buffer, KeyObject, Buffer>(sign);
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

const dkim = {
  domainName: 'posthorn.localhost',
  keySelector: 'bench',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
};

const transport = createTransport({
  host: '127.0.0.1',
  port: Number(process.env.SMTP_PORT),
  pool: true,
  maxConnections: Number(process.env.CONNECTIONS),
  maxMessages: Number.POSITIVE_INFINITY,
  ignoreTLS: true,
});

process.on('message', (order: PoolOrder) => {
  void sendAll(order).then((ms) => process.send?.(ms));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');

async function sendAll({ count, html, text, mode }: PoolOrder): Promise<number> {
  const [from, to] = ['bench@posthorn.localhost', 'jane@example.com'];
  const mail = { from, to, subject: 'Your order has been shipped', html, text };
  const raw = await new MailComposer(mail).compile().build();
  const signed = raw.subarray(0, SIGNED_BYTES);
  const modes: Record<PoolMode, () => Promise<unknown>> = {
    composed: () => transport.sendMail(mail),
    'composed-signed': () => transport.sendMail({ ...mail, dkim }),
    raw: () => transport.sendMail({ envelope: { from, to }, raw }),
    'raw-signed': async () => {
      await signInThreadPool('sha256', signed, privateKey);
      await modes.raw();
    },
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: count }, () => modes[mode]()));
  return performance.now() - startedAt;
}
