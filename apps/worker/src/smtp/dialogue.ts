import type { Socket } from 'node:net';
import type { Conversation } from './conversation.js';
import { isClosing, type SmtpReply, toReply } from './reply.js';
import { ReplyReader } from './reply-reader.js';

/** Commands and replies over the socket of a session that is ready for mail. */
export class Dialogue {
  readonly #socket: Socket;
  readonly #conversation: Conversation;
  readonly #close: () => void;
  readonly #reader = new ReplyReader();
  /** What nobody has asked for yet. */
  readonly #heard: SmtpReply[] = [];
  #broken: Error | null = null;
  #wake = () => {};

  /** @param close called when the server says that it closes, or speaks no SMTP */
  constructor(socket: Socket, conversation: Conversation, close: () => void) {
    this.#socket = socket;
    this.#conversation = conversation;
    this.#close = close;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('drain', () => this.#wake());
  }

  /** Sends commands in one write. @throws Error when the link is broken, or a reply lies there that nobody asked for */
  say(commands: readonly string[]): void {
    this.assertQuiet();
    this.#conversation.said(commands);
    this.#socket.write(`${commands.join('\r\n')}\r\n`, 'latin1');
  }

  /** The next reply. @throws Error when the link breaks first, or what comes is no reply */
  async hear(): Promise<SmtpReply> {
    while (!this.hasHeard()) await this.#something();
    const reply = this.#heard.shift();
    if (reply === undefined) throw this.#broken as Error;
    if (reply.code === null) throw new Error(`The server sent what is no reply: ${reply.text}`);
    return reply;
  }

  /** Whether there is a reply that nobody has heard, or none will come any more. */
  hasHeard(): boolean {
    return this.#heard.length > 0 || this.#broken !== null;
  }

  /** @throws Error as `say` does: what came unasked would be taken for the answer to what is said next */
  assertQuiet(): void {
    const [unasked] = this.#heard;
    if (unasked !== undefined) throw new Error(`The server answered what nobody asked: ${unasked.text}`);
    if (this.#broken !== null) throw this.#broken;
  }

  /** Sends a piece of the message; settles when the socket takes more, and when there is something to hear. */
  async write(piece: Buffer): Promise<void> {
    if (!this.#socket.write(piece) && !this.hasHeard()) await this.#something();
  }

  /** The link is broken; the first to say so says why. */
  end(error: Error): void {
    if (this.#broken !== null) return;
    this.#broken = error;
    this.#take(this.#reader.rest());
    this.#wake();
  }

  #something(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #read(chunk: Buffer): void {
    if (this.#broken !== null) return;
    try {
      this.#take(this.#reader.read(chunk));
    } catch (error) {
      this.end(error as Error);
      this.#close();
    }
  }

  #take(replies: readonly string[]): void {
    if (replies.length === 0) return;
    for (const text of replies) {
      const reply = toReply(Number(/^\d{3}/.exec(text)?.[0]), text);
      this.#conversation.heard(text);
      this.#heard.push(reply);
      if (isClosing(reply)) this.#close();
    }
    this.#wake();
  }
}
