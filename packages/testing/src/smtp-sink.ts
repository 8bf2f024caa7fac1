import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

const WAIT_MS = 10_000;

export type ReceivedMessage = {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: Buffer;
  readonly parsed: Email;
  readonly session: SMTPServerSession;
};

export type SmtpReply = { readonly code: number; readonly text: string };

export type SmtpSinkOptions = {
  /** Demands these credentials; without it anybody may send. */
  readonly auth?: { readonly user: string; readonly pass: string };
  /** `true` offers STARTTLS and `'implicit'` speaks TLS from the first byte, with a certificate nobody trusts. */
  readonly tls?: boolean | 'implicit';
  /**
   * Answers a command in place of the usual 250. `address` is the sender at MAIL, the recipient at
   * RCPT, the sender at DATA (after the final dot) and the client's address at CONNECT.
   */
  readonly reply?: (command: 'CONNECT' | 'MAIL' | 'RCPT' | 'DATA', address: string) => SmtpReply | undefined;
};

export type SmtpSink = {
  readonly url: string;
  readonly port: number;
  /** In the order in which they were accepted. */
  readonly messages: readonly ReceivedMessage[];
  /** @throws Error when fewer than `count` messages have come after `ms` */
  waitFor(count: number, ms?: number): Promise<readonly ReceivedMessage[]>;
  close(): Promise<void>;
};

/** A real SMTP server on 127.0.0.1 that keeps what it accepts. */
export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const messages: ReceivedMessage[] = [];
  const server = new SMTPServer({ ...serverOptions(options), ...handlers(options, messages) });
  // A client that breaks off, as some tests make it, is no fault of the sink.
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

function serverOptions({ auth, tls }: SmtpSinkOptions): SMTPServerOptions {
  const disabledCommands = [...(auth ? [] : ['AUTH']), ...(tls ? [] : ['STARTTLS'])];
  return {
    secure: tls === 'implicit',
    authOptional: !auth,
    allowInsecureAuth: true,
    disabledCommands,
    disableReverseLookup: true,
    // The text of `reply` is all the client gets, enhanced status code included.
    hideENHANCEDSTATUSCODES: true,
    closeTimeout: 1,
    logger: false,
  };
}

function handlers({ auth, reply = () => undefined }: SmtpSinkOptions, messages: ReceivedMessage[]): SMTPServerOptions {
  return {
    onConnect: (session, done) => done(refusal(reply('CONNECT', session.remoteAddress))),
    onMailFrom: ({ address }, _session, done) => done(refusal(reply('MAIL', address))),
    onRcptTo: ({ address }, _session, done) => done(refusal(reply('RCPT', address))),
    onAuth({ username, password }, _session, done) {
      const isKnown = username === auth?.user && password === auth?.pass;
      if (isKnown) done(null, { user: username });
      else done(refusal({ code: 535, text: '5.7.8 Authentication failed' }));
    },
    async onData(stream, session, done) {
      const raw = await buffer(stream);
      const envelope = envelopeOf(session);
      const answer = reply('DATA', envelope.from);
      const refused = refusal(answer);
      if (!refused) messages.push({ envelope, raw, parsed: await PostalMime.parse(raw), session });
      done(refused, answer?.text ?? 'OK: queued');
    },
  };
}

function refusal(answer: SmtpReply | undefined): Error | null {
  if (!answer || answer.code < 400) return null;
  return Object.assign(new Error(answer.text), { responseCode: answer.code });
}

/** Addresses as values: the session is reused for the next message. */
function envelopeOf({ envelope }: SMTPServerSession): ReceivedMessage['envelope'] {
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
    if (Date.now() > deadline) throw new Error(`Waited ${ms} ms for ${count} message(s); ${messages.length} came.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return messages;
}
