import { limits } from '@posthorn/domain/limits';
import { toClientNetwork } from '@posthorn/platform/network';
import type { Gauge } from 'prom-client';
import type { SMTPServer, SMTPServerOptions } from 'smtp-server';
import { SmtpRefusal } from './smtp-refusal.js';

/**
 * Counts the connections, and limits how many of them a client's network has and how long each lasts, so that neither one
 * client nor clients that send a byte every few seconds can occupy them all. If all are in use, the network with the most
 * loses its oldest one to a network with fewer. Senders repeat a message that got no 250.
 *
 * A socket's `close` event does not say when a connection ends: smtp-server removes all listeners when TLS begins.
 * @param server is only called later
 */
export function limitConnections(
  server: () => SMTPServer,
  { open, maxMs }: { readonly open: Gauge; readonly maxMs: number },
): Pick<SMTPServerOptions, 'onConnect' | 'onClose'> {
  /** By the ID of the connection, oldest first. */
  const connections: Connections = new Map();

  function forget(id: string): void {
    const connection = connections.get(id);
    if (connection === undefined) return;
    clearTimeout(connection.timer);
    connections.delete(id);
    open.dec();
  }

  function end(id: string, reason: string): void {
    forget(id);
    for (const connection of server().connections) if (connection.id === id) connection.send(421, reason);
  }

  return {
    onConnect({ id, remoteAddress }, callback) {
      const network = toClientNetwork(remoteAddress);
      const counts = countByNetwork(connections);
      if ((counts.get(network) ?? 0) >= limits.inboundClientsPerNetwork.max)
        return callback(new SmtpRefusal(421, '4.7.0 Too many connections from your network. Try again later'));
      if (connections.size >= limits.inboundClients.max) {
        const other = chooseConnectionToEnd(connections, counts, network);
        if (other === null) return callback(new SmtpRefusal(421, '4.7.0 Too many connections. Try again later'));
        end(other, '4.7.0 All connections are in use. Connect again later');
      }
      const timer = setTimeout(end, maxMs, id, 'The connection has lasted too long. Connect again');
      connections.set(id, { network, timer });
      open.inc();
      callback();
    },
    // If the client closed the connection at once, its address is unknown here.
    onClose: ({ id }) => forget(id),
  };
}

type Connections = Map<string, { readonly network: string; readonly timer: NodeJS.Timeout }>;

function countByNetwork(connections: Connections): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { network } of connections.values()) counts.set(network, (counts.get(network) ?? 0) + 1);
  return counts;
}

/** The oldest connection of the network with the most; null if the new connection's network would then have more. */
function chooseConnectionToEnd(connections: Connections, counts: ReadonlyMap<string, number>, network: string) {
  const [busiest, count] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most));
  if (count <= (counts.get(network) ?? 0) + 1) return null;
  for (const [id, connection] of connections) if (connection.network === busiest) return id;
  return null;
}
