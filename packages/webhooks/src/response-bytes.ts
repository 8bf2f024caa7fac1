import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';

/** A receiver sent more than a response may have. */
export class ResponseTooLong extends Error {
  override name = 'ResponseTooLong';
  readonly code = 'RESPONSE_TOO_LONG';
}

/**
 * Closes connections on which more bytes arrive than a response may have. undici bounds the header fields of a response,
 * but not empty lines before it, its reason phrase, or the extensions of its chunks, all of which can be endless.
 */
export function limitResponseBytes(connect: buildConnector.connector, maxBytes: number): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) watchBytes(socket, maxBytes);
      callback(...result);
    });
}

/** A connection has one request at a time, so what arrives after a request was written belongs to its response. */
function watchBytes(socket: Socket, maxBytes: number): void {
  const { read, write } = socket;
  let before = socket.bytesRead;
  socket.write = function (this: Socket, ...args: Parameters<Socket['write']>) {
    before = socket.bytesRead;
    return write.apply(this, args);
  } as Socket['write'];
  socket.read = function (this: Socket, size?: number) {
    if (socket.bytesRead - before <= maxBytes) return read.call(this, size);
    socket.destroy(new ResponseTooLong());
    return null;
  };
}
