import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { connect as connectTls, type TLSSocket } from 'node:tls';

/** `fault` says why it is not trusted; null if it is. */
export type Certificate = { readonly validTo: Date; readonly fault: string | null };

/** How a mail server greets us. It gets no mail and no password. */
export type SmtpSession = {
  /** The first line that the server says. */
  readonly greeting: string;
  /** What its reply to EHLO lists, in upper case. */
  readonly extensions: readonly string[];
  /** null if the session is not encrypted. */
  readonly tls: Certificate | null;
};

/** @property isTls whether TLS begins with the first byte */
export type SmtpServer = { readonly host: string; readonly port: number; readonly isTls: boolean };

type Reply = { readonly code: string; readonly lines: readonly string[] };

/**
 * Connects, says EHLO, upgrades to TLS if the server offers it, and says QUIT.
 * @throws Error if the server cannot be reached or refuses us
 */
export async function greetServer({ host, port, isTls }: SmtpServer, signal: AbortSignal): Promise<SmtpSession> {
  const socket = isTls ? await openTls({ host, port }) : await openTcp(host, port);
  const stop = () => socket.destroy(new Error('The server did not answer in time'));
  signal.addEventListener('abort', stop);
  try {
    const session = openSession(socket);
    const [greeting = ''] = (await session.read('220')).lines;
    const { lines } = await session.say('EHLO [127.0.0.1]', '250');
    const extensions = lines.slice(1).map((line) => line.toUpperCase());
    if (isTls || !extensions.includes('STARTTLS')) {
      session.end();
      return { greeting, extensions, tls: isTls ? describe(socket as TLSSocket) : null };
    }
    await session.say('STARTTLS', '220');
    session.release();
    const secure = await openTls({ socket, host });
    const encrypted = openSession(secure);
    const again = await encrypted.say('EHLO [127.0.0.1]', '250');
    encrypted.end();
    return { greeting, extensions: again.lines.slice(1).map((line) => line.toUpperCase()), tls: describe(secure) };
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

async function openTcp(host: string, port: number): Promise<Socket> {
  const socket = connectTcp(port, host);
  await once(socket, 'connect');
  return socket;
}

/** Connects even if the certificate is not valid, so that the check can say why. */
async function openTls(to: { host: string; port: number } | { socket: Socket; host: string }): Promise<TLSSocket> {
  const socket = connectTls({ ...to, servername: /^[\d.:]+$/.test(to.host) ? '' : to.host, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

export async function readCertificate(host: string, port: number, signal: AbortSignal): Promise<Certificate> {
  const socket = connectTls({ host, port, servername: host, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal });
    return describe(socket);
  } finally {
    socket.destroy();
  }
}

function describe(socket: TLSSocket): Certificate {
  const { valid_to: validTo } = socket.getPeerCertificate();
  const fault = socket.authorized ? null : String(socket.authorizationError);
  return { validTo: new Date(validTo), fault };
}

function openSession(socket: Socket) {
  const reader: Interface = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  const lines = reader[Symbol.asyncIterator]();
  const failure = once(socket, 'close').then(() => {
    throw new Error('The server closed the connection');
  });
  failure.catch(() => {});

  async function read(expected: string): Promise<Reply> {
    const texts: string[] = [];
    for (;;) {
      const { value, done } = await Promise.race([lines.next(), failure]);
      if (done) throw new Error('The server closed the connection');
      const [, code = '', separator = '', text = ''] = /^(\d{3})([ -]?)(.*)$/.exec(value) ?? [];
      texts.push(text);
      if (separator === '-') continue;
      if (code !== expected) throw new Error(`The server replied ${value.slice(0, 200)}`);
      return { code, lines: texts };
    }
  }

  return {
    read,
    say(command: string, expected: string): Promise<Reply> {
      socket.write(`${command}\r\n`);
      return read(expected);
    },
    /** Lets TLS take over the socket. */
    release: () => reader.close(),
    end: () => void socket.write('QUIT\r\n'),
  };
}
