import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** When the server may be told to misbehave. BODY is the first piece of a message, DOT its complete end. */
export type Moment = 'CONNECT' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'BODY' | 'DOT' | 'RSET' | 'QUIT';

/** What the server does instead of its usual answer. */
export type Reaction = (socket: Socket) => void;

/** @param to the recipients so far, the one of this RCPT included */
export type Fault = (moment: Moment, to: readonly string[]) => Reaction | undefined;

export type RawMessage = { readonly from: string; readonly to: readonly string[]; readonly raw: string };

export type RawSmtpServer = {
  readonly url: string;
  readonly port: number;
  /** How many there have been, and how many are open now. */
  connections(): number;
  open(): number;
  /** The sender of every MAIL, answered well or not. */
  readonly mails: readonly string[];
  /** What came complete, final dot included, whatever was answered. */
  readonly messages: readonly RawMessage[];
  /** Empties `mails` and `messages`, which a long load would fill. */
  forget(): void;
  /** Breaks every open link, as a restart of the server does. */
  cutAll(): void;
  close(): Promise<void>;
};

type Session = { from: string; to: string[]; text: string; inMessage: boolean; sawBody: boolean };

const USUAL: Readonly<Record<Moment, string>> = {
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

/** @param bytes latin-1: one character is one byte */
export const say =
  (bytes: string): Reaction =>
  (socket) =>
    socket.write(`${bytes}\r\n`, 'latin1');

export const sayAndCut =
  (bytes: string): Reaction =>
  (socket) =>
    socket.end(`${bytes}\r\n`, 'latin1');

/** Never silent and never done. */
export const drip: Reaction = (socket) => {
  const dripping = setInterval(() => socket.write('2'), DRIP_MS);
  socket.once('close', () => clearInterval(dripping));
};

/** Misbehaves the first time, then never again. */
export function first(moment: Moment, reaction: Reaction): Fault {
  let isDone = false;
  return (now) => {
    if (isDone || now !== moment) return undefined;
    isDone = true;
    return reaction;
  };
}

/** A server on 127.0.0.1 that behaves as badly as it is told, which no library for servers would. */
export async function startRawSmtpServer(
  fault: Fault = () => undefined,
  extensions: readonly string[] = [],
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `smtp://127.0.0.1:${port}`,
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

type Serving = { fault: Fault; extensions: readonly string[]; mails: string[]; messages: RawMessage[] };

function serve(socket: Socket, { fault, extensions, mails, messages }: Serving): void {
  const session: Session = { from: '', to: [], text: '', inMessage: false, sawBody: false };

  function answer(moment: Moment): void {
    const reaction = fault(moment, session.to);
    if (reaction) reaction(socket);
    else if (moment === 'EHLO') say(ehlo(extensions))(socket);
    else if (moment === 'QUIT') sayAndCut(USUAL.QUIT)(socket);
    else if (moment !== 'BODY') say(USUAL[moment])(socket);
    // Whoever says anything but 354 to DATA hears commands, not a message.
    if (moment === 'DATA') session.inMessage = reaction === undefined;
  }

  function command(line: string): void {
    const moment = toMoment(line);
    if (moment === 'MAIL') {
      Object.assign(session, { from: addressIn(line), to: [], sawBody: false });
      mails.push(session.from);
    }
    if (moment === 'RCPT') session.to.push(addressIn(line));
    answer(moment);
  }

  socket.on('data', (chunk) => {
    // The replies to what came in one go leave in one go (RFC 2920, 3.2), and wait for no acknowledgement.
    socket.cork();
    process.nextTick(() => socket.uncork());
    session.text += chunk.toString('latin1');
    for (let taken = take(session); taken !== null && !socket.destroyed; taken = take(session)) {
      if (taken.what === 'line') command(taken.text);
      else if (taken.what === 'body') answer('BODY');
      else {
        messages.push({ from: session.from, to: [...session.to], raw: taken.text });
        answer('DOT');
      }
    }
  });
  socket.setNoDelay(true);
  answer('CONNECT');
}

/** The next thing that is complete in what has come. */
function take(session: Session): { what: 'line' | 'body' | 'message'; text: string } | null {
  const { text, inMessage, sawBody } = session;
  if (inMessage && !sawBody && text.length > 0) {
    session.sawBody = true;
    return { what: 'body', text: '' };
  }
  const isEmpty = inMessage && text.startsWith('.\r\n');
  const end = inMessage && !isEmpty ? '\r\n.\r\n' : '\r\n';
  const at = text.indexOf(end);
  if (at < 0) return null;
  Object.assign(session, { text: text.slice(at + end.length), inMessage: false });
  return { what: inMessage ? 'message' : 'line', text: text.slice(0, at) };
}

function toMoment(line: string): Moment {
  const verb = line.slice(0, 4).toUpperCase();
  return verb === 'HELO' ? 'EHLO' : ((verb in USUAL ? verb : 'RSET') as Moment);
}

function ehlo(extensions: readonly string[]): string {
  const lines = [USUAL.EHLO.slice(4), ...extensions];
  return lines.map((line, i) => `250${i < lines.length - 1 ? '-' : ' '}${line}`).join('\r\n');
}

function addressIn(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? '';
}
