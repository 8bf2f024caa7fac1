import type { Server, Socket } from 'node:net';
import { limits } from '@posthorn/domain';

/**
 * Ends connections that last too long, and refuses those of an address that has many, so that nobody can keep all of
 * them busy with a byte now and then. What was not answered with a 250 is sent again.
 * @param sessionMs how long a connection may last
 */
export function boundSessions(server: Server, sessionMs = limits.inboundSessionMinutes.max * 60_000): void {
  const connections = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const open = (connections.get(address) ?? 0) + 1;
    connections.set(address, open);
    const timer = setTimeout(() => socket.destroy(), sessionMs);
    socket.once('close', () => {
      clearTimeout(timer);
      const left = (connections.get(address) ?? 1) - 1;
      if (left === 0) connections.delete(address);
      else connections.set(address, left);
    });
    if (open > limits.inboundClientsPerAddress.max) socket.destroy();
  });
}
