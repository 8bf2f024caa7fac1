import type { Server, Socket } from 'node:net';
import { limits } from '@posthorn/domain';
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { SmtpRefusal } from './smtp-refusal.js';

/**
 * Ends connections that last too long, so that nobody can keep all of them busy with a byte now and then. What was not
 * answered with a 250 is sent again.
 */
export function endLongSessions(server: Server, maxMs: number): void {
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), maxMs);
    socket.once('close', () => clearTimeout(timer));
  });
}

/** Refuses another connection of an address that has many, so that one client leaves room for others. */
export function limitPerAddress(): Pick<SMTPServerOptions, 'onConnect' | 'onClose'> {
  const sessionsOf = new Map<string, Set<string>>();
  return {
    onConnect({ id, remoteAddress }: SMTPServerSession, callback) {
      const sessions = sessionsOf.get(remoteAddress) ?? new Set();
      if (sessions.size >= limits.inboundClientsPerAddress.max) {
        callback(new SmtpRefusal(421, '4.7.0 Too many connections from your address. Try again later'));
        return;
      }
      sessionsOf.set(remoteAddress, sessions.add(id));
      callback();
    },
    onClose({ id, remoteAddress }: SMTPServerSession) {
      const sessions = sessionsOf.get(remoteAddress);
      sessions?.delete(id);
      if (sessions?.size === 0) sessionsOf.delete(remoteAddress);
    },
  };
}
