import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';

/**
 * When the server can misbehave. BODY: the first bytes of a message have arrived. DOT: the final dot of a message has
 * arrived.
 */
export type Moment =
  | 'CONNECT'
  | 'EHLO'
  | 'STARTTLS'
  | 'AUTH'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'BODY'
  | 'DOT'
  | 'RSET'
  | 'QUIT';

/** What the server does instead of its normal reply. `takesMessage` if it replies to DATA with a 354. */
export type Reaction = ((socket: Socket) => void) & { readonly takesMessage?: boolean };

/**
 * @param to the recipients so far, including the one in this RCPT command
 * @param from the sender, empty before MAIL
 */
export type Fault = (moment: Moment, to: readonly string[], from: string) => Reaction | undefined;

export type RawMessage = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly isEncrypted: boolean;
};

export type RawSmtpServer = {
  readonly url: string;
  readonly port: number;
  connections(): number;
  open(): number;
  /** The sender in every MAIL command, accepted or not. */
  readonly mails: readonly string[];
  /** Every message that arrived with its final dot, accepted or not. */
  readonly messages: readonly RawMessage[];
  /** The verb of every command outside of a message. */
  readonly commands: readonly string[];
  /** Empties `mails`, `messages` and `commands`, which grow during a long load test. */
  forget(): void;
  /** Closes every connection, as a server restart would. */
  cutAll(): void;
  close(): Promise<void>;
};

const NORMAL_REPLIES: Readonly<Record<Moment, string>> = {
  CONNECT: '220 raw.test ESMTP',
  EHLO: '250 raw.test',
  STARTTLS: '502 5.5.1 Not offered',
  AUTH: '235 Welcome',
  MAIL: '250 OK',
  RCPT: '250 OK',
  DATA: '354 Go on',
  BODY: '',
  DOT: '250 OK: queued',
  RSET: '250 OK',
  QUIT: '221 Bye',
};

const DRIP_MS = 20;

export const cut: Reaction = (socket) => socket.destroy();
export const silence: Reaction = () => {};

/** @param bytes as Latin-1, so that one character is one byte */
export const say =
  (bytes: string): Reaction =>
  (socket) =>
    socket.write(`${bytes}\r\n`, 'latin1');

const goOn: Reaction = Object.assign(say(NORMAL_REPLIES.DATA), { takesMessage: true });

/** Asks for the message, but not at once. */
export const goOnAfter = (ms: number): Reaction =>
  Object.assign((socket: Socket) => setTimeout(say(NORMAL_REPLIES.DATA), ms, socket), { takesMessage: true });

export const sayAndCut =
  (bytes: string): Reaction =>
  (socket) =>
    socket.end(`${bytes}\r\n`, 'latin1');

/** Keeps sending bytes but never completes a reply. */
export const drip: Reaction = (socket) => {
  const dripping = setInterval(() => socket.write('2'), DRIP_MS);
  socket.once('close', () => clearInterval(dripping));
};

/** Misbehaves every time, for all senders and recipients. */
export const always =
  (moment: Moment, reaction: Reaction): Fault =>
  (now) =>
    now === moment ? reaction : undefined;

export function first(moment: Moment, reaction: Reaction): Fault {
  let isDone = false;
  return (now) => {
    if (isDone || now !== moment) return undefined;
    isDone = true;
    return reaction;
  };
}

/**
 * @property host another address of the loopback network. @property port 0 for a free one
 * @property tls returns the certificate for STARTTLS, which the server does not offer if it is null
 */
type Listening = { readonly host?: string; readonly port?: number; readonly tls?: FindCertificate };

type FindCertificate = () => SecureContextOptions | null;

/** Starts an SMTP server on 127.0.0.1 that can violate the protocol, which SMTP libraries do not allow. */
export async function startRawSmtpServer(
  fault: Fault = () => undefined,
  extensions: readonly string[] = [],
  { host = '127.0.0.1', port: wanted = 0, tls = () => null }: Listening = {},
): Promise<RawSmtpServer> {
  const sockets = new Set<Socket>();
  const mails: string[] = [];
  const messages: RawMessage[] = [];
  const commands: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    serve(socket, { fault, extensions, mails, messages, commands, tls });
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `smtp://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    connections: () => connections,
    open: () => sockets.size,
    mails,
    messages,
    commands,
    forget() {
      mails.length = 0;
      messages.length = 0;
      commands.length = 0;
    },
    cutAll,
    close: () => {
      cutAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type ServeOptions = {
  fault: Fault;
  extensions: readonly string[];
  mails: string[];
  messages: RawMessage[];
  commands: string[];
  tls: FindCertificate;
};

function serve(socket: Socket, options: ServeOptions): void {
  const { fault, mails, messages, commands } = options;
  const isEncrypted = socket instanceof TLSSocket;
  const session: Session = { from: '', to: [], text: '', searched: 0, inMessage: false, sawBody: false };

  function reply(moment: Moment): void {
    const reaction = fault(moment, session.to, session.from) ?? findNormalReply(socket, options, moment);
    reaction(socket);
    // After any reply to DATA other than 354, the client sends commands, not a message.
    if (moment === 'DATA') session.inMessage = reaction.takesMessage === true;
  }

  function handleCommand(line: string): void {
    const moment = toMoment(line);
    commands.push(line.split(' ')[0] ?? '');
    if (moment === 'MAIL') {
      Object.assign(session, { from: extractAddress(line), to: [], sawBody: false });
      mails.push(session.from);
    }
    if (moment === 'RCPT') session.to.push(extractAddress(line));
    reply(moment);
  }

  socket.on('data', (chunk) => {
    // The replies to pipelined commands are sent together, without waiting for a TCP acknowledgement (RFC 2920, 3.2).
    socket.cork();
    process.nextTick(() => socket.uncork());
    session.text += chunk.toString('latin1');
    for (let next = takeNext(session); next !== null && !socket.destroyed; next = takeNext(session)) {
      if (next.kind === 'line') handleCommand(next.text);
      else if (next.kind === 'body') reply('BODY');
      else {
        messages.push({ from: session.from, to: [...session.to], raw: next.text, isEncrypted });
        reply('DOT');
      }
    }
  });
  socket.setNoDelay(true);
  if (!isEncrypted) reply('CONNECT');
}

function findNormalReply(socket: Socket, options: ServeOptions, moment: Moment): Reaction {
  const offersTls = !(socket instanceof TLSSocket) && options.tls() !== null;
  switch (moment) {
    case 'EHLO':
      return say(formatEhloReply([...options.extensions, ...(offersTls ? ['STARTTLS'] : [])]));
    case 'STARTTLS':
      return offersTls ? () => startTls(socket, options) : say(NORMAL_REPLIES.STARTTLS);
    case 'DATA':
      return goOn;
    case 'BODY':
      return silence;
    case 'QUIT':
      return sayAndCut(NORMAL_REPLIES.QUIT);
    default:
      return say(NORMAL_REPLIES[moment]);
  }
}

/** Serves the rest of the session over TLS. */
function startTls(socket: Socket, options: ServeOptions): void {
  socket.removeAllListeners('data');
  socket.write('220 Go on\r\n', () => {
    const secureContext = createSecureContext(options.tls() ?? {});
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    secured.on('error', () => {});
    serve(secured, options);
  });
}

function toMoment(line: string): Moment {
  const verb = line.split(' ')[0]?.toUpperCase() ?? '';
  return verb === 'HELO' ? 'EHLO' : ((verb in NORMAL_REPLIES ? verb : 'RSET') as Moment);
}

function formatEhloReply(extensions: readonly string[]): string {
  const lines = [NORMAL_REPLIES.EHLO.slice(4), ...extensions];
  return lines.map((line, i) => `250${i < lines.length - 1 ? '-' : ' '}${line}`).join('\r\n');
}

function extractAddress(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}

type Session = {
  from: string;
  to: string[];
  text: string;
  /** No line or message ends before this position in `text`. */
  searched: number;
  inMessage: boolean;
  sawBody: boolean;
};

/** Takes the next complete command, message or start of a message from the received text. */
function takeNext(session: Session): { kind: 'line' | 'body' | 'message'; text: string } | null {
  const { text, inMessage, sawBody } = session;
  if (inMessage && !sawBody && text.length > 0) {
    session.sawBody = true;
    return { kind: 'body', text: '' };
  }
  const isEmpty = inMessage && text.startsWith('.\r\n');
  const end = inMessage && !isEmpty ? '\r\n.\r\n' : '\r\n';
  const at = text.indexOf(end, session.searched);
  // Part of `end` may have arrived.
  session.searched = at < 0 ? Math.max(0, text.length - end.length) : 0;
  if (at < 0) return null;
  Object.assign(session, { text: text.slice(at + end.length), inMessage: false });
  return { kind: inMessage ? 'message' : 'line', text: text.slice(0, at) };
}
