import type { Socket } from 'node:net';

const INTERIM = /^HTTP\/1\.[01] 1\d\d[ \r]/;
const STATUS_LINE_CHARACTERS = 13;
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
  socket.read = (size) => {
    const chunk: Buffer | null = read(size);
    if (isBeforeResponse && chunk !== null) isBeforeResponse = renameContinues(chunk);
    return chunk;
  };
}

/** @returns whether all that has arrived are interim responses */
function renameContinues(chunk: Buffer): boolean {
  let at = 0;
  while (at < chunk.length) {
    if (!INTERIM.test(chunk.toString('latin1', at, at + STATUS_LINE_CHARACTERS))) return false;
    if (chunk.toString('latin1', at + LAST_DIGIT - 2, at + LAST_DIGIT + 1) === '100') chunk[at + LAST_DIGIT] = 0x33;
    const end = chunk.indexOf(END_OF_HEADERS, at);
    at = end === -1 ? chunk.length : end + END_OF_HEADERS.length;
  }
  return true;
}
