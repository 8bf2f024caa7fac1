import type { Socket } from 'node:net';
import type { Request, Response } from 'express';

/**
 * Most HTTP libraries and browsers wait for a response before they send the next request. Clients that pipeline rarely
 * need more than this.
 */
const MAX_WAITING_REQUESTS = 20;

/**
 * Bounds how many requests on one connection wait behind the one that is being answered. A thousand small requests fit
 * into one 64 kB chunk, and Node starts all of them at the same time.
 * @returns a function that closes the connection and returns false if too many requests are waiting
 */
export function pipelineGuard(): (request: Request, response: Response) => boolean {
  const waiting = new WeakMap<Socket, number>();
  const add = (socket: Socket, requests: number) => waiting.set(socket, (waiting.get(socket) ?? 0) + requests);
  return ({ socket }, response) => {
    if (socket.destroyed) return false;
    if ((waiting.get(socket) ?? 0) >= MAX_WAITING_REQUESTS) {
      socket.destroy();
      return false;
    }
    add(socket, 1);
    response.once('close', () => add(socket, -1));
    return true;
  };
}
