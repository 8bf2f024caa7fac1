import type { Response } from 'express';

/** Whether the client's connection is lost, or the response has been sent. */
export function isGone({ closed, req }: Response): boolean {
  return closed || req.socket.destroyed;
}
