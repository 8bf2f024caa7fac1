import type { Response } from 'express';
import type { ApiContext } from '../context.js';
import { isGone } from '../http/is-gone.js';
import type { RouteResponse } from '../route.js';
import { headerLines, observe } from './write-response.js';

type Streaming = {
  readonly stream: AsyncIterator<string | Buffer>;
  /** How long a client may go without reading anything. */
  readonly stallMs: number;
  /** Throws if the client may not have the next piece, because its credential has been revoked or has expired. */
  readonly assertAllowed: () => Promise<unknown>;
};

/**
 * Writes a response whose length is not known, piece by piece, at the speed of the client. The first piece is awaited
 * before anything is written, so an error up to then becomes an ordinary problem. After a later error the connection is
 * closed early, so that the client notices that something is missing.
 */
export async function streamResponse(
  ctx: Pick<ApiContext, 'metrics' | 'securityHeaders'>,
  response: Response,
  { stream, stallMs, assertAllowed, ...result }: RouteResponse & Streaming,
): Promise<void> {
  try {
    let piece = await stream.next();
    response.writeHead(result.status, headerLines(ctx, response, result));
    while (!piece.done && !isGone(response)) {
      if (!response.write(piece.value)) await drained(response, stallMs);
      await assertAllowed();
      piece = await stream.next();
    }
    response.end();
    observe(ctx, response);
  } finally {
    // Ends the export if the client has gone.
    await stream.return?.();
  }
}

/** Waits until the client has read enough. A client that reads nothing for too long loses its connection. */
async function drained(response: Response, stallMs: number): Promise<void> {
  const { socket } = response.req;
  if (isGone(response)) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(() => socket.destroy(), stallMs);
    response.once('drain', done);
    socket.once('close', done);
  });
}
