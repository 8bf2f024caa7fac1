import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * When the server can misbehave. BODY: the first bytes of a message have arrived. DOT: the final dot of a message has
 * arrived.
 */
export type Moment = 'CONNECT' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'BODY' | 'DOT' | 'RSET' | 'QUIT';

/** What the server does instead of its normal reply. `takesMessage` if it replies to DATA with a 354. */
export type Reaction = ((socket: Socket) => void) & { readonly takesMessage?: boolean };

/**
 * @param to the recipients so far, including the one in this RCPT command
 * @param from the sender, empty before MAIL
 */
export type Fault = (moment: Moment, to: readonly string[], from: string) => Reaction | undefined;

export type RawMessage = { readonly from: string; readonly to: readonly string[]; readonly raw: string };

export type RawSmtpServer = {
  readonly url: string;
  readonly port: number;
  connections(): number;
  open(): number;
  /** The sender in every MAIL command, accepted or not. */
  readonly mails: readonly string[];
  /** Every message that arrived with its final dot, accepted or not. */
  readonly messages: readonly RawMessage[];
  /** Empties `mails` and `messages`, which grow during a long load test. */
  forget(): void;
  /** Closes every connection, as a server restart would. */
  cutAll(): void;
  close(): Promise<void>;
};

const NORMAL_REPLIES: Readonly<Record<Moment, string>> = {
  CONNECT: '220 raw.test ESMTP',
  EHLO: '250 raw.test',
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

/** @property host another address of the loopback network. @property port 0 for a free one */
type Listening = { readonly host?: string; readonly port?: number };

/** Starts an SMTP server on 127.0.0.1 that can violate the protocol, which SMTP libraries do not allow. */
export async function startRawSmtpServer(
  fault: Fault = () => undefined,
  extensions: readonly string[] = [],
  { host = '127.0.0.1', port: wanted = 0 }: Listening = {},
): Promise<RawSmtpServer> {
  const sockets = new Set<Socket>();
  const mails: string[] = [];
  const messages: RawMessage[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    serve(socket, { fault, extensions, mails, messages });
  });
  server.listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `smtp://${host}:${port}`,
    port,
    connections: () => connections,
    open: () => sockets.size,
    mails,
    messages,
    forget() {
      mails.length = 0;
      messages.length = 0;
    },
    cutAll,
    close: () => {
      cutAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

type ServeOptions = { fault: Fault; extensions: readonly string[]; mails: string[]; messages: RawMessage[] };

function serve(socket: Socket, { fault, extensions, mails, messages }: ServeOptions): void {
  const session: Session = { from: '', to: [], text: '', searched: 0, inMessage: false, sawBody: false };

  function reply(moment: Moment): void {
    const reaction = fault(moment, session.to, session.from);
    if (reaction) reaction(socket);
    else if (moment === 'EHLO') say(formatEhloReply(extensions))(socket);
    else if (moment === 'QUIT') sayAndCut(NORMAL_REPLIES.QUIT)(socket);
    else if (moment !== 'BODY') say(NORMAL_REPLIES[moment])(socket);
    // After any reply to DATA other than 354, the client sends commands, not a message.
    if (moment === 'DATA') session.inMessage = reaction === undefined || reaction.takesMessage === true;
  }

  function handleCommand(line: string): void {
    const moment = toMoment(line);
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
        messages.push({ from: session.from, to: [...session.to], raw: next.text });
        reply('DOT');
      }
    }
  });
  socket.setNoDelay(true);
  reply('CONNECT');
}

function toMoment(line: string): Moment {
  const verb = line.slice(0, 4).toUpperCase();
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
