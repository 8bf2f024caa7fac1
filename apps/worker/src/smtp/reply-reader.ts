/** More than any reply has: a server that never completes one must not fill the memory. */
const MAX_REPLY_CHARACTERS = 1_048_576;

/** A line after which the reply goes on (RFC 5321, 4.2.1). */
const GOES_ON = /^\d{3}-/;

const CODE_LENGTH = 3;

const REFUSAL = /^[45]\d{2}[ -]/;

/** Makes replies of what comes over the wire in pieces. */
export class ReplyReader {
  /** The lines of a reply that goes on, each with its LF. */
  #begun = '';
  /** A line without its end. */
  #line = '';

  /**
   * @returns the replies that are complete now, their lines joined by LF
   * @throws Error when one grows without end, or a line comes between that is none of it: what follows would
   *   be taken for the answer to the next command
   */
  read(chunk: Buffer): string[] {
    const lines = (this.#line + chunk.toString('latin1')).split('\n');
    this.#line = lines.pop() ?? '';
    const replies = lines.map((line) => this.#add(line)).filter((reply) => reply !== '');
    if (this.#begun.length + this.#line.length > MAX_REPLY_CHARACTERS) {
      throw new Error('The server sends a reply without end');
    }
    return replies;
  }

  /** What stood behind the last line end when the link broke, if it can only be a refusal; else nothing. */
  rest(): string[] {
    return REFUSAL.test(this.#line) ? [decoded(this.#line)] : [];
  }

  /** @returns the reply that the line ends; nothing if it goes on, or never began */
  #add(ended: string): string {
    const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
    if (this.#begun !== '' && line.slice(0, CODE_LENGTH) !== this.#begun.slice(0, CODE_LENGTH)) {
      throw new Error(`The server broke off its reply: ${line}`);
    }
    const reply = this.#begun + line;
    const goesOn = GOES_ON.test(line);
    this.#begun = goesOn ? `${reply}\n` : '';
    return goesOn ? '' : decoded(reply);
  }
}

/** Replies are in no known charset: as UTF-8 where they can be, else as the bytes they are. */
function decoded(text: string): string {
  if (!/[\x80-\xff]/.test(text)) return text;
  const asUtf8 = Buffer.from(text, 'latin1').toString('utf8');
  return asUtf8.includes('\uFFFD') ? text : asUtf8;
}
