/** Far longer than any real reply. A server that never completes a reply must not fill our memory. */
const MAX_REPLY_CHARACTERS = 1_048_576;

/** A line that is not the last of its reply (RFC 5321, 4.2.1). */
const CONTINUES = /^\d{3}-/;

const CODE_LENGTH = 3;

const REFUSAL = /^[45]\d{2}[ -]/;

/** Assembles replies from the chunks that arrive on a socket. */
export class ReplyReader {
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
