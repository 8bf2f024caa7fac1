import type { Response } from 'express';

/** Whether the client's connection is lost, or the response has been sent. */
export function isGone({ closed, req }: Response): boolean {
  return closed || req.socket.destroyed;
}

/** If the connection is lost, a response that waits behind other responses emits no `close` event of its own. */
export function releaseWhenClosed(response: Response, release: () => void): void {
  const { socket } = response.req;
  let isReleased = false;
  const releaseOnce = () => {
    response.off('close', releaseOnce);
    socket.off('close', releaseOnce);
    // Both events can occur at the same time.
    if (!isReleased) release();
    isReleased = true;
  };
  response.once('close', releaseOnce);
  socket.once('close', releaseOnce);
}
