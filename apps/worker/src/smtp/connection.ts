import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Source } from '@posthorn/domain/relays';
import { parseRelayUrl, type RelayLogin } from '@posthorn/platform/config';
import { inSpan, type Span, type SpanAttributes } from '@posthorn/platform/traces';
import SMTPConnection, { type SMTPConnectionAuth, type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import XOAuth2 from 'nodemailer/lib/xoauth2';
import { type Conversation, openConversation } from './conversation.js';
import { createDialogue, type Dialogue } from './dialogue.js';
import type { Timeouts } from './timeouts.js';

/** What the sessions with a relay depend on. */
export type RelaySettings = {
  readonly name: string;
  readonly url: string;
  /** The addresses that we connect from; null for the one that the system chooses. */
  readonly source: Source;
  /** How we greet; null for what the URL says. */
  readonly ehlo: string | null;
  /** The most sessions of all workers; null for no limit. */
  readonly connections: number | null;
};

export type Relay = {
  /** Its name in commands, logs, metrics and attempts. */
  readonly name: string;
  readonly options: SMTPConnectionOptions;
  readonly auth: SMTPConnectionAuth | null;
  /** When a server that supports DSN should send a report (RFC 3461, 4.1). */
  readonly notify: string;
  readonly timeouts: Timeouts;
  /** As in `Connection`. */
  readonly host?: string;
};

export function toRelay({ name, url, source, ehlo }: RelaySettings, timeouts: Timeouts): Relay {
  const { host, port, secure, requireTls, verifyCertificate, ehloName, auth, notifySuccess } = parseRelayUrl(url);
  const greeting = ehlo ?? ehloName;
  const localAddress = source.ipv4 ?? source.ipv6;
  return {
    name,
    options: {
      host,
      port,
      secure,
      requireTLS: requireTls,
      opportunisticTLS: !requireTls,
      tls: { rejectUnauthorized: verifyCertificate },
      ...(greeting !== null && { name: greeting }),
      ...(localAddress !== null && { localAddress }),
    },
    auth: auth && toAuth(auth),
    notify: notifySuccess ? 'SUCCESS,FAILURE,DELAY' : 'FAILURE,DELAY',
    timeouts,
  };
}

/** An access token is asked for when the first session logs in, and again when it ends or is refused. */
function toAuth(login: RelayLogin): SMTPConnectionAuth {
  const { user } = login;
  if ('password' in login) return { user, pass: login.password, method: false };
  const { tokenUrl: accessUrl, ...client } = login.oauth;
  const oauth2 = new XOAuth2({ user, accessUrl, ...client, requestTimeout: TOKEN_TIMEOUT_MS });
  return { type: 'OAUTH2', user, oauth2, method: 'XOAUTH2' } as SMTPConnectionAuth;
}

const TOKEN_TIMEOUT_MS = 15_000;

/** An SMTP session after greeting, encryption and login. */
export type Connection = {
  readonly conversation: Conversation;
  readonly dialogue: Dialogue;
  readonly socket: Socket;
  /** Whether several commands may be sent without waiting for replies (RFC 2920). */
  readonly supportsPipelining: boolean;
  readonly supportsSize: boolean;
  /** Whether the server passes on messages with 8-bit characters (RFC 6152). */
  readonly supports8Bit: boolean;
  /** When the server should send a report about the message (RFC 3461, 4.1); null if it does not support DSN. */
  readonly notify: string | null;
  /** The largest message that the server accepts (RFC 1870); 0 if it announced no limit. */
  readonly maxBytes: number;
  isOpen: boolean;
  /** How many messages have been sent over this connection. */
  messages: number;
  /** Which of several servers this is, for the conversation; null if the relay has only one. */
  readonly host: string | null;
  close(): void;
};

/** What nodemailer's types leave out: the final socket, encrypted or not, and the extensions that EHLO announced. */
type Opened = { _socket: Socket; _supportedExtensions: readonly string[]; _maxAllowedSize: number };

/** What nodemailer's types leave out, too: what it calls with the new socket, and before it waits for the greeting. */
type Opening = {
  _socket: Socket;
  _setupConnectionHandlers(): void;
  _onConnect(): void;
  _startPhase(ms: number, error: Error): void;
  _connectionDeadline: number;
};

/** No session could be opened: connecting, the greeting, TLS or login failed. The email is not the cause. */
export class RouteFault extends Error {
  override name = 'RouteFault';

  constructor(
    override readonly cause: Error,
    readonly conversation: readonly string[],
    /** Whether STARTTLS was refused, or the handshake after it failed. */
    readonly isOfTls: boolean,
  ) {
    super(cause.message);
  }
}

/**
 * Nodemailer opens the session and watches its socket for silence, errors and closing. Once the session is ready,
 * we send the commands ourselves, because nodemailer does not report how much of a message it has sent.
 * @param onClose called once, after the session was ready and its connection has closed
 * @param onCommand called with each command until the session is ready, which may contain credentials
 * @throws RouteFault
 */
async function openConnection(
  relay: Relay,
  onClose: () => void,
  onCommand?: (command: string) => void,
): Promise<Connection> {
  const { timeouts } = relay;
  const deadline = createReplyDeadline(timeouts);
  let last = '';
  const conversation = openConversation((command) => {
    last = command;
    deadline.restart(command);
    onCommand?.(command);
  });
  const smtp = new SMTPConnection({
    ...relay.options,
    logger: conversation.logger,
    transactionLog: true,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
  });
  limitConnectingAlone(smtp, relay);
  try {
    await greet(smtp, relay, deadline);
    const connection = takeOver(smtp, conversation, relay);
    smtp.once('end', onClose);
    return connection;
  } catch (error) {
    smtp.close();
    throw new RouteFault(error as Error, conversation.take(), last === 'STARTTLS');
  }
}

function takeOver(smtp: SMTPConnection, conversation: Conversation, { notify, host }: Relay): Connection {
  const { _socket: socket, _supportedExtensions: extensions, _maxAllowedSize: maxBytes } = smtp as unknown as Opened;
  const close = () => smtp.close();
  socket.removeAllListeners('data');
  const connection: Connection = {
    conversation,
    dialogue: createDialogue(socket, conversation, close),
    socket,
    supportsPipelining: extensions.includes('PIPELINING'),
    supportsSize: extensions.includes('SIZE'),
    supports8Bit: extensions.includes('8BITMIME'),
    notify: extensions.includes('DSN') ? notify : null,
    maxBytes,
    isOpen: true,
    messages: 0,
    host: host ?? null,
    close,
  };
  // If an error closed the connection, nodemailer emits the error first, and the dialogue keeps the first error.
  smtp.on('error', (error) => connection.dialogue.fail(error));
  smtp.once('end', () => {
    connection.isOpen = false;
    connection.dialogue.fail(new Error('The server closed the connection'));
  });
  return connection;
}

/**
 * Nodemailer counts the greeting and the TLS handshake toward the time limit for connecting, which is much shorter. They
 * have limits of their own.
 */
function limitConnectingAlone(smtp: SMTPConnection, { options: { secure }, timeouts: { greetingMs } }: Relay): void {
  const opening = smtp as unknown as Opening;
  const watch = opening._setupConnectionHandlers.bind(smtp);
  const greet = opening._onConnect.bind(smtp);
  opening._setupConnectionHandlers = () => {
    watch();
    if (!secure) return;
    const startHandshake = () => opening._startPhase(greetingMs, new Error('The TLS handshake took too long'));
    opening._socket.once('connect', startHandshake);
  };
  opening._onConnect = () => {
    opening._connectionDeadline = Number.POSITIVE_INFINITY;
    greet();
  };
}

/** Ends a wait for a server that sends bytes but never a whole reply. Silence alone would not end it. */
type ReplyDeadline = { restart(command: string): void; onTooLate(error: Error): void; stop(): void };

/** The reply to STARTTLS and the handshake have the limit of a greeting, because a session without TLS may follow. */
function createReplyDeadline({ replyMs, greetingMs }: Timeouts): ReplyDeadline {
  let timer: NodeJS.Timeout | undefined;
  return {
    restart(command) {
      clearTimeout(timer);
      const ms = command === 'STARTTLS' ? greetingMs : replyMs;
      const tooLate = new Error(`The server did not reply within ${ms / 1_000} seconds`);
      timer = setTimeout(() => this.onTooLate(tooLate), ms);
    },
    onTooLate() {},
    stop: () => clearTimeout(timer),
  };
}

async function greet(smtp: SMTPConnection, { auth }: Relay, deadline: ReplyDeadline): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      deadline.onTooLate = reject;
      // This listener stays for the life of the connection, because an idle connection may fail at any time.
      smtp.on('error', reject);
      smtp.once('end', () => reject(new Error('The server closed the connection')));
      smtp.connect((error) => {
        if (error) reject(error);
        else if (auth === null) resolve();
        else smtp.login(auth, (refused) => (refused ? reject(forgetToken(auth, refused)) : resolve()));
      });
    });
  } finally {
    deadline.stop();
  }
}

/** A token that was refused is not used again. */
function forgetToken({ oauth2 }: SMTPConnectionAuth, refusal: Error): Error {
  oauth2?.updateToken('');
  return refusal;
}

/**
 * Opens a session as a step of the attempt that needs it. The handshake of STARTTLS is a step of its own.
 * @param attempt undefined if the email is not traced
 * @param onClose as for `openConnection`
 * @throws RouteFault
 */
export function connectTraced(relay: Relay, attempt: Span | undefined, onClose: () => void): Promise<Connection> {
  if (attempt === undefined) return openConnection(relay, onClose);
  const { host, port } = relay.options;
  const span = attempt.startStep('smtp connect', {
    kind: 'client',
    attributes: { 'server.address': host, 'server.port': port, 'network.protocol.name': 'smtp' },
  });
  let tls: Span | undefined;
  const onCommand = (command: string) => {
    // The command after STARTTLS is sent when the handshake has ended.
    tls?.end();
    tls = command === 'STARTTLS' ? span.startStep('smtp tls', { kind: 'client' }) : undefined;
  };
  return inSpan(span, async () => {
    try {
      const connection = await openConnection(relay, onClose, onCommand);
      span.set(toSessionAttributes(connection));
      return connection;
    } catch (error) {
      tls?.end(error);
      throw error;
    }
  });
}

export function toSessionAttributes({ socket }: Connection): SpanAttributes {
  const isEncrypted = socket instanceof TLSSocket;
  return {
    'network.protocol.name': 'smtp',
    'network.peer.address': socket.remoteAddress,
    'network.peer.port': socket.remotePort,
    'tls.established': isEncrypted,
    'tls.protocol.version': isEncrypted ? socket.getProtocol()?.replace('TLSv', '') : undefined,
  };
}
