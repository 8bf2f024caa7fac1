import { inSpan, type Span } from '@posthorn/platform/traces';
import { type Connection, openConnection } from './connection.js';
import type { Relay } from './relay.js';
import { sessionAttributes } from './session-attributes.js';

/**
 * Opens a session as a step of the attempt that needs it. The handshake of STARTTLS is a step of its own.
 * @param attempt undefined if the email is not traced
 * @param onClose as for `openConnection`
 * @throws RouteFault
 */
export function connectTraced(relay: Relay, attempt: Span | undefined, onClose: () => void): Promise<Connection> {
  if (attempt === undefined) return openConnection(relay, onClose);
  const { host, port } = relay.options;
  const span = attempt.startStep('smtp connect', {
    kind: 'client',
    attributes: { 'server.address': host, 'server.port': port, 'network.protocol.name': 'smtp' },
  });
  let tls: Span | undefined;
  const onCommand = (command: string) => {
    // The command after STARTTLS is sent when the handshake has ended.
    tls?.end();
    tls = command === 'STARTTLS' ? span.startStep('smtp tls', { kind: 'client' }) : undefined;
  };
  return inSpan(span, async () => {
    try {
      const connection = await openConnection(relay, onClose, onCommand);
      span.set(sessionAttributes(connection));
      return connection;
    } catch (error) {
      tls?.end(error);
      throw error;
    }
  });
}
