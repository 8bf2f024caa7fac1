import { randomBytes } from 'node:crypto';
import { setPriority } from 'node:os';
import { createTransport } from 'nodemailer';

/** Which return paths to flood, and the loopback addresses to do it from. Sent to this process by `runReportFlood`. */
export type FloodJob = {
  readonly port: number;
  readonly returnPaths: readonly string[];
  readonly localAddresses: readonly string[];
};

/** How many messages got which reply. */
export type FloodReport = Readonly<Record<string, number>>;

const CONNECTIONS_PER_PEER = 4;
const BYTES = 250_000;

// A real attacker runs on another machine, so this process must not take CPU time from the service.
setPriority(19);

process.once('message', ({ port, returnPaths, localAddresses }: FloodJob) => {
  const replies: Record<string, number> = {};
  let sent = 0;

  /** No two are alike, Postgres cannot compress them, and they take the parser long. */
  function buildMessage(): string {
    sent += 1;
    const noise = randomBytes(BYTES / 2).toString('base64');
    return `Subject: ${sent}\r\n\r\n${'a\r\n'.repeat(2_000)}${noise.replace(/.{70}/g, '$&\r\n')}`;
  }

  async function flood(localAddress: string): Promise<void> {
    const transport = createTransport({ host: '127.0.0.1', port, localAddress, ignoreTLS: true, pool: true });
    for (;;) {
      const [local = '', host = ''] = (returnPaths[sent % returnPaths.length] ?? '').split('@');
      const to = [`${local}@${host}`, `${local.toUpperCase()}@${host}`, `${local}@bounces.elsewhere.example`];
      const code = await transport
        .sendMail({ envelope: { from: '', to }, raw: buildMessage() })
        .then(() => 250)
        .catch((error) => error.responseCode ?? error.code);
      replies[code] = (replies[code] ?? 0) + 1;
    }
  }

  for (const address of localAddresses)
    for (let connection = 0; connection < CONNECTIONS_PER_PEER; connection += 1) void flood(address);
  process.once('message', () => process.send?.(replies, () => process.exit()));
  process.send?.('started');
});

process.once('disconnect', () => process.exit());
