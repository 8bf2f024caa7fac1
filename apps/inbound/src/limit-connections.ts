import { limits } from '@posthorn/domain/limits';
import { toClientNetwork } from '@posthorn/platform/network';
import type { Gauge } from 'prom-client';
import type { SMTPServer, SMTPServerOptions } from 'smtp-server';
import { SmtpRefusal } from './smtp-refusal.js';

/**
 * Counts the connections, and limits how many of them a client's network has and how long each lasts, so that neither one
 * client nor clients that send a byte every few seconds can occupy them all. Senders repeat a message that got no 250.
 *
 * A socket's `close` event does not say when a connection ends: smtp-server removes all listeners when TLS begins.
 * @param server is only called later
 */
export function limitConnections(
  server: () => SMTPServer,
  { open, maxMs }: { readonly open: Gauge; readonly maxMs: number },
): Pick<SMTPServerOptions, 'onConnect' | 'onClose'> {
  const sessionsByNetwork = new Map<string, Map<string, NodeJS.Timeout>>();

  function end(id: string): void {
    for (const connection of server().connections)
      if (connection.id === id) connection.send(421, 'The connection has lasted too long. Connect again');
  }

  return {
    onConnect({ id, remoteAddress }, callback) {
      const network = toClientNetwork(remoteAddress);
      const sessions = sessionsByNetwork.get(network) ?? new Map();
      if (sessions.size >= limits.inboundClientsPerNetwork.max) {
        callback(new SmtpRefusal(421, '4.7.0 Too many connections from your network. Try again later'));
        return;
      }
      sessionsByNetwork.set(network, sessions.set(id, setTimeout(end, maxMs, id)));
      open.inc();
      callback();
    },
    onClose({ id, remoteAddress }) {
      const network = toClientNetwork(remoteAddress);
      const sessions = sessionsByNetwork.get(network);
      // Connections that were refused are missing.
      const timer = sessions?.get(id);
      if (sessions === undefined || timer === undefined) return;
      clearTimeout(timer);
      sessions.delete(id);
      if (sessions.size === 0) sessionsByNetwork.delete(network);
      open.dec();
    },
  };
}
