import type { Socket } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Conversation } from './conversation.js';
import { isClosing, type SmtpReply, toReply } from './reply.js';

/** Sends commands and reads replies over the socket of a session that is ready for a transaction. */
export type Dialogue = {
  /** Sends commands in one write. @throws Error in the same cases as `assertInSync` */
  send(commands: readonly string[]): void;
  /** Reads the next reply. @throws Error when the connection fails first, or the reply is not valid */
  readReply(): Promise<SmtpReply>;
  /** Whether `readReply` would return or throw without waiting. */
  isReadable(): boolean;
  /**
   * @throws Error when the connection has failed, or when a reply has arrived before its command. That reply
   *   would be mistaken for the reply to the next command.
   */
  assertInSync(): void;
  /** Sends a chunk of the message. Settles when the socket can take more, or when there is something to read. */
  write(chunk: Buffer): Promise<void>;
  /** Sends the end of the message. @param onUnsent called if the operating system has not taken all of it */
  writeEnd(chunk: Buffer, onUnsent: () => void): void;
  /** Settles when there is something to read, or after this time. */
  untilReadable(ms: number): Promise<void>;
  /** Marks the connection as failed. The first error is kept. */
  fail(error: Error): void;
};

/** @param close called when the server announces that it is closing, or sends something that is not SMTP */
export function createDialogue(socket: Socket, conversation: Conversation, close: () => void): Dialogue {
  const { unread, findFailure, fail, receive, untilChange, wake } = createReplyQueue(conversation, close);
  const isReadable = () => unread.length > 0 || findFailure() !== null;

  function assertInSync(): void {
    const [unexpected] = unread;
    if (unexpected !== undefined) throw new Error(`The server sent an unexpected reply: ${unexpected.text}`);
    const failure = findFailure();
    if (failure !== null) throw failure;
  }

  socket.on('data', receive);
  socket.on('drain', wake);
  return {
    send(commands) {
      assertInSync();
      conversation.recordCommands(commands);
      socket.write(`${commands.join('\r\n')}\r\n`, 'latin1');
    },
    async readReply() {
      while (!isReadable()) await untilChange();
      const reply = unread.shift();
      if (reply === undefined) throw findFailure() as Error;
      if (reply.code === null) throw new Error(`The server sent an invalid reply: ${reply.text}`);
      return reply;
    },
    isReadable,
    assertInSync,
    async write(chunk) {
      if (!socket.write(chunk) && !isReadable()) await untilChange();
    },
    writeEnd(chunk, onUnsent) {
      socket.write(chunk, (error) => {
        if (isWriteFailure(error)) onUnsent();
      });
    },
    async untilReadable(ms) {
      let isOver = false;
      const timer = setTimeout(() => {
        isOver = true;
        wake();
      }, ms);
      while (!isReadable() && !isOver) await untilChange();
      clearTimeout(timer);
      // If the process was busy, the time may be over before it has read what has arrived.
      for (let turn = 0; turn < 2 && !isReadable(); turn += 1) await yieldToEventLoop();
    },
    fail,
  };
}

/**
 * Whether the operating system refused the rest of a write. If the socket was closed meanwhile, Node reports an error
 * too, but all bytes may have been written.
 */
function isWriteFailure(error: (Error & { syscall?: string; code?: string }) | null | undefined): boolean {
  return error?.syscall === 'write' && error.code !== 'ECANCELED';
}

/** The replies that have arrived and were not read yet, and the error that ended the connection. */
function createReplyQueue(conversation: Conversation, close: () => void) {
  const reader = createReplyReader();
  const unread: SmtpReply[] = [];
  let failure: Error | null = null;
  let settle = () => {};

  function add(replies: readonly string[]): void {
    if (replies.length === 0) return;
    for (const text of replies) {
      const reply = toReply(Number(/^\d{3}/.exec(text)?.[0]), text);
      conversation.recordReply(text);
      unread.push(reply);
      if (isClosing(reply)) close();
    }
    settle();
  }

  function fail(error: Error): void {
    if (failure !== null) return;
    failure = error;
    add(reader.readRest());
    settle();
  }

  function receive(chunk: Buffer): void {
    if (failure !== null) return;
    try {
      add(reader.read(chunk));
    } catch (error) {
      fail(error as Error);
      close();
    }
  }

  const untilChange = () =>
    new Promise<void>((resolve) => {
      settle = resolve;
    });
  return { unread, findFailure: () => failure, fail, receive, untilChange, wake: () => settle() };
}

/** Far longer than any real reply. A server that never completes a reply must not fill our memory. */
const MAX_REPLY_CHARACTERS = 1_048_576;

/** A line that is not the last of its reply (RFC 5321, 4.2.1). */
const CONTINUES = /^\d{3}-/;

const CODE_LENGTH = 3;

const REFUSAL = /^[45]\d{2}[ -]/;

/** Assembles replies from the chunks that arrive on a socket. */
function createReplyReader() {
  /** The complete lines of an incomplete reply, each with its LF. */
  let partialReply = '';
  /** The start of a line whose end has not arrived. */
  let partialLine = '';

  function addLine(lineWithCr: string): string {
    const line = lineWithCr.endsWith('\r') ? lineWithCr.slice(0, -1) : lineWithCr;
    if (partialReply !== '' && line.slice(0, CODE_LENGTH) !== partialReply.slice(0, CODE_LENGTH)) {
      throw new Error(`The server sent a line that does not belong to its reply: ${line}`);
    }
    const reply = partialReply + line;
    const continues = CONTINUES.test(line);
    partialReply = continues ? `${reply}\n` : '';
    return continues ? '' : decode(reply);
  }

  return {
    /**
     * @returns the replies that are now complete, their lines joined by LF
     * @throws Error when a reply is too long or one of its lines has a different code. What follows could be mistaken
     *   for the reply to the next command.
     */
    read(chunk: Buffer): string[] {
      const lines = (partialLine + chunk.toString('latin1')).split('\n');
      partialLine = lines.pop() ?? '';
      const replies = lines.map(addLine).filter((reply) => reply !== '');
      if (partialReply.length + partialLine.length > MAX_REPLY_CHARACTERS) {
        throw new Error(`The server sent a reply of more than ${MAX_REPLY_CHARACTERS} characters`);
      }
      return replies;
    },
    /** @returns the start of a line that was cut off when the connection failed, but only if it must be a refusal */
    readRest: (): string[] => (REFUSAL.test(partialLine) ? [decode(partialLine)] : []),
  };
}

/** Replies have no declared charset. They are read as UTF-8 if they are valid UTF-8, else as Latin-1. */
function decode(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const asUtf8 = Buffer.from(text, 'latin1').toString('utf8');
  return asUtf8.includes('\uFFFD') ? text : asUtf8;
}
