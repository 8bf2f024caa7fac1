import type { Socket } from 'node:net';

const INTERIM = /^HTTP\/1\.[01] 1\d\d[ \r]/;
const STATUS_LINE_CHARACTERS = 13;
/** Completes the start of a status line, to tell whether it may become one of an interim response. */
const ANY_INTERIM = 'HTTP/1.1 100 ';
/** Where the last digit of the status is. */
const LAST_DIGIT = 11;
const END_OF_HEADERS = '\r\n\r\n';

/**
 * undici breaks the connection on a 100 that the request did not ask for, but skips a 103. A client must be able to skip
 * any interim response (RFC 9110, 15.2), and some servers send a 100 to every request with a body, so undici gets each
 * 100 as a 103.
 */
export function skipContinue(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  let isBeforeResponse = false;
  // A response can begin once a request was sent.
  socket.write = ((...values: Parameters<Socket['write']>) => {
    isBeforeResponse = true;
    return write(...values);
  }) as Socket['write'];
  let held: Buffer = Buffer.alloc(0);
  const readOn = (size?: number): Buffer | null => {
    const chunk: Buffer | null = read(size);
    if (!isBeforeResponse || chunk === null) return chunk;
    const arrived = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const found = renameContinues(arrived);
    const { end } = found;
    held = arrived.subarray(end);
    isBeforeResponse = found.isBeforeResponse;
    return end === 0 ? readOn(size) : arrived.subarray(0, end);
  };
  socket.read = readOn;
}

/**
 * @returns `end` says how many bytes can be passed on: an incomplete interim response is held until the rest arrives.
 *   `isBeforeResponse` is false once the response itself has begun
 */
function renameContinues(bytes: Buffer): { end: number; isBeforeResponse: boolean } {
  let at = 0;
  while (at < bytes.length) {
    const start = bytes.toString('latin1', at, at + STATUS_LINE_CHARACTERS);
    if (!INTERIM.test(start + ANY_INTERIM.slice(start.length))) return { end: bytes.length, isBeforeResponse: false };
    const end = bytes.indexOf(END_OF_HEADERS, at);
    if (end === -1) break;
    if (start.startsWith('100', LAST_DIGIT - 2)) bytes[at + LAST_DIGIT] = 0x33;
    at = end + END_OF_HEADERS.length;
  }
  return { end: at, isBeforeResponse: true };
}
