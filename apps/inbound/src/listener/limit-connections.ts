import type { Server, Socket } from 'node:net';
import { limits } from '@posthorn/domain';
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { SmtpRefusal } from './smtp-refusal.js';

/**
 * Closes connections that last too long, so that clients that send a byte every few seconds cannot occupy them all.
 * Senders repeat a message that got no 250.
 */
export function endLongSessions(server: Server, maxMs: number): void {
  server.on('connection', (socket: Socket) => {
    const timer = setTimeout(() => socket.destroy(), maxMs);
    socket.once('close', () => clearTimeout(timer));
  });
}

/** Refuses a connection if its IP address already has the maximum, so that one client cannot use them all. */
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
