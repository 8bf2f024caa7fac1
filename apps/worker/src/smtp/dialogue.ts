import type { Socket } from 'node:net';
import type { Conversation } from './conversation.js';
import { isClosing, type SmtpReply, toReply } from './reply.js';

/** Sends commands and reads replies over the socket of a session that is ready for a transaction. */
export class Dialogue {
  readonly #socket: Socket;
  readonly #conversation: Conversation;
  readonly #close: () => void;
  readonly #reader = new ReplyReader();
  readonly #unread: SmtpReply[] = [];
  #error: Error | null = null;
  #wake = () => {};

  /** @param close called when the server announces that it is closing, or sends something that is not SMTP */
  constructor(socket: Socket, conversation: Conversation, close: () => void) {
    this.#socket = socket;
    this.#conversation = conversation;
    this.#close = close;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => this.#wake());
  }

  /** Sends commands in one write. @throws Error in the same cases as `assertInSync` */
  send(commands: readonly string[]): void {
    this.assertInSync();
    this.#conversation.recordCommands(commands);
    this.#socket.write(`${commands.join('\r\n')}\r\n`, 'latin1');
  }

  /** Reads the next reply. @throws Error when the connection fails first, or the reply is not valid */
  async readReply(): Promise<SmtpReply> {
    while (!this.isReadable()) await this.#change();
    const reply = this.#unread.shift();
    if (reply === undefined) throw this.#error as Error;
    if (reply.code === null) throw new Error(`The server sent an invalid reply: ${reply.text}`);
    return reply;
  }

  /** Whether `readReply` would return or throw without waiting. */
  isReadable(): boolean {
    return this.#unread.length > 0 || this.#error !== null;
  }

  /**
   * @throws Error when the connection has failed, or when a reply has arrived before its command. That reply
   *   would be mistaken for the reply to the next command.
   */
  assertInSync(): void {
    const [unexpected] = this.#unread;
    if (unexpected !== undefined) throw new Error(`The server sent an unexpected reply: ${unexpected.text}`);
    if (this.#error !== null) throw this.#error;
  }

  /** Sends a chunk of the message. Settles when the socket can take more, or when there is something to read. */
  async write(chunk: Buffer): Promise<void> {
    if (!this.#socket.write(chunk) && !this.isReadable()) await this.#change();
  }

  /** Marks the connection as failed. The first error is kept. */
  fail(error: Error): void {
    if (this.#error !== null) return;
    this.#error = error;
    this.#add(this.#reader.remainder());
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #receive(chunk: Buffer): void {
    if (this.#error !== null) return;
    try {
      this.#add(this.#reader.read(chunk));
    } catch (error) {
      this.fail(error as Error);
      this.#close();
    }
  }

  #add(replies: readonly string[]): void {
    if (replies.length === 0) return;
    for (const text of replies) {
      const reply = toReply(Number(/^\d{3}/.exec(text)?.[0]), text);
      this.#conversation.recordReply(text);
      this.#unread.push(reply);
      if (isClosing(reply)) this.#close();
    }
    this.#wake();
  }
}

/** Far longer than any real reply. A server that never completes a reply must not fill our memory. */
const MAX_REPLY_CHARACTERS = 1_048_576;

/** A line that is not the last of its reply (RFC 5321, 4.2.1). */
const CONTINUES = /^\d{3}-/;

const CODE_LENGTH = 3;

const REFUSAL = /^[45]\d{2}[ -]/;

/** Assembles replies from the chunks that arrive on a socket. */
class ReplyReader {
  /** The complete lines of an incomplete reply, each with its LF. */
  #partialReply = '';
  /** The start of a line whose end has not arrived. */
  #partialLine = '';

  /**
   * @returns the replies that are now complete, their lines joined by LF
   * @throws Error when a reply is too long or one of its lines has a different code. What follows could be mistaken for
   *   the reply to the next command.
   */
  read(chunk: Buffer): string[] {
    const lines = (this.#partialLine + chunk.toString('latin1')).split('\n');
    this.#partialLine = lines.pop() ?? '';
    const replies = lines.map((line) => this.#addLine(line)).filter((reply) => reply !== '');
    if (this.#partialReply.length + this.#partialLine.length > MAX_REPLY_CHARACTERS) {
      throw new Error(`The server sent a reply of more than ${MAX_REPLY_CHARACTERS} characters`);
    }
    return replies;
  }

  /** @returns the start of a line that was cut off when the connection failed, but only if it must be a refusal */
  remainder(): string[] {
    return REFUSAL.test(this.#partialLine) ? [decoded(this.#partialLine)] : [];
  }

  /** @returns the reply that the line completes, or an empty string */
  #addLine(lineWithCr: string): string {
    const line = lineWithCr.endsWith('\r') ? lineWithCr.slice(0, -1) : lineWithCr;
    if (this.#partialReply !== '' && line.slice(0, CODE_LENGTH) !== this.#partialReply.slice(0, CODE_LENGTH)) {
      throw new Error(`The server sent a line that does not belong to its reply: ${line}`);
    }
    const reply = this.#partialReply + line;
    const continues = CONTINUES.test(line);
    this.#partialReply = continues ? `${reply}\n` : '';
    return continues ? '' : decoded(reply);
  }
}

/** Replies have no declared charset. They are read as UTF-8 if they are valid UTF-8, else as Latin-1. */
function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const asUtf8 = Buffer.from(text, 'latin1').toString('utf8');
  return asUtf8.includes('\uFFFD') ? text : asUtf8;
}
