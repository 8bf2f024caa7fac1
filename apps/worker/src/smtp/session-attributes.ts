import { TLSSocket } from 'node:tls';
import type { SpanAttributes } from '@posthorn/platform/traces';
import type { Connection } from './connection.js';

/** What the spans of an SMTP session have in common. */
export function sessionAttributes({ socket }: Connection): SpanAttributes {
  const isEncrypted = socket instanceof TLSSocket;
  return {
    'network.protocol.name': 'smtp',
    'network.peer.address': socket.remoteAddress,
    'network.peer.port': socket.remotePort,
    'tls.established': isEncrypted,
    'tls.protocol.version': isEncrypted ? socket.getProtocol()?.replace('TLSv', '') : undefined,
  };
}
