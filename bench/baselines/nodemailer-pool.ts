import { createTransport } from 'nodemailer';
import MailComposer from 'nodemailer/lib/mail-composer';

/**
 * A bare loop around a nodemailer pool: no queue, no database, nothing remembered. It is told over IPC
 * how many to send of what, and says when it is done.
 */
type Order = { count: number; html: string; text: string; isRaw: boolean };

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

async function sendAll({ count, html, text, isRaw }: Order): Promise<number> {
  const [from, to] = ['bench@posthorn.localhost', 'jane@example.com'];
  const mail = { from, to, subject: 'Your order has been shipped', html, text };
  const raw = await new MailComposer(mail).compile().build();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: count }, () => transport.sendMail(isRaw ? { envelope: { from, to }, raw } : mail)),
  );
  return performance.now() - began;
}
