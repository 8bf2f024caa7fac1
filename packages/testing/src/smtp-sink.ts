import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

const WAIT_MS = 60_000;
const POLL_MS = 10;

export type ReceivedMessage = {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: Buffer;
  readonly parsed: Email;
  readonly session: SMTPServerSession;
};

export type SmtpReply = { readonly code: number; readonly text: string };

export type SmtpSinkOptions = {
  readonly auth?: { readonly user: string; readonly pass: string };
  /** `true` offers STARTTLS; `'implicit'` uses TLS from the first byte. Clients do not trust the certificate. */
  readonly tls?: boolean | 'implicit';
  /**
   * Replaces the normal 250 reply to a command. `address` is the sender for MAIL, the recipient for
   * RCPT, the sender for DATA (after the final dot) and the client's IP address for CONNECT.
   */
  readonly reply?: (command: 'CONNECT' | 'MAIL' | 'RCPT' | 'DATA', address: string) => SmtpReply | undefined;
};

export type SmtpSink = {
  readonly url: string;
  readonly port: number;
  readonly messages: readonly ReceivedMessage[];
  /** @throws Error if fewer than `count` messages have arrived after `ms` */
  waitFor(count: number, ms?: number): Promise<readonly ReceivedMessage[]>;
  close(): Promise<void>;
};

/** Starts an SMTP server on 127.0.0.1 that stores the messages it accepts. */
export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const messages: ReceivedMessage[] = [];
  const server = new SMTPServer({ ...toServerOptions(options), ...buildHandlers(options, messages) });
  // Ignores clients that disconnect early, which some tests do on purpose.
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const login = options.auth
    ? `${encodeURIComponent(options.auth.user)}:${encodeURIComponent(options.auth.pass)}@`
    : '';
  return {
    url: `${options.tls === 'implicit' ? 'smtps' : 'smtp'}://${login}127.0.0.1:${port}`,
    port,
    messages,
    waitFor: (count, ms = WAIT_MS) => waitFor(messages, { count, ms }),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function toServerOptions({ auth, tls }: SmtpSinkOptions): SMTPServerOptions {
  const disabledCommands = [...(auth ? [] : ['AUTH']), ...(tls ? [] : ['STARTTLS'])];
  return {
    secure: tls === 'implicit',
    authOptional: !auth,
    allowInsecureAuth: true,
    disabledCommands,
    disableReverseLookup: true,
    // The text of `reply` already includes the enhanced status code.
    hideENHANCEDSTATUSCODES: true,
    closeTimeout: 1,
    logger: false,
  };
}

function buildHandlers(
  { auth, reply = () => undefined }: SmtpSinkOptions,
  messages: ReceivedMessage[],
): SMTPServerOptions {
  return {
    onConnect: (session, done) => done(toError(reply('CONNECT', session.remoteAddress))),
    onMailFrom: ({ address }, _session, done) => done(toError(reply('MAIL', address))),
    onRcptTo: ({ address }, _session, done) => done(toError(reply('RCPT', address))),
    onAuth({ username, password }, _session, done) {
      const isKnown = username === auth?.user && password === auth?.pass;
      if (isKnown) done(null, { user: username });
      else done(toError({ code: 535, text: '5.7.8 Authentication failed' }));
    },
    async onData(stream, session, done) {
      // A client that stops in the middle gets no reply.
      const raw = await buffer(stream).catch(() => null);
      if (raw === null) return;
      const envelope = toEnvelope(session);
      const smtpReply = reply('DATA', envelope.from);
      const error = toError(smtpReply);
      if (!error) messages.push({ envelope, raw, parsed: await PostalMime.parse(raw), session });
      done(error, smtpReply?.text ?? 'OK: queued');
    },
  };
}

function toError(reply: SmtpReply | undefined): Error | null {
  if (!reply || reply.code < 400) return null;
  return Object.assign(new Error(reply.text), { responseCode: reply.code });
}

/** Copies the addresses, because the session object is reused for the next message. */
function toEnvelope({ envelope }: SMTPServerSession): ReceivedMessage['envelope'] {
  return {
    from: envelope.mailFrom ? envelope.mailFrom.address : '',
    to: envelope.rcptTo.map(({ address }) => address),
  };
}

async function waitFor(
  messages: ReceivedMessage[],
  { count, ms }: { count: number; ms: number },
): Promise<ReceivedMessage[]> {
  const deadline = Date.now() + ms;
  while (messages.length < count) {
    if (Date.now() > deadline)
      throw new Error(`Only ${messages.length} of ${count} message(s) arrived within ${ms} ms.`);
    await sleep(POLL_MS);
  }
  return messages;
}
