import { connect } from 'node:net';

const TIMEOUT_MS = 1_000;

/**
 * Sends a request to a local port and reads until the reply is complete.
 * @returns what was received, or an empty string if no server listens on the port
 */
export function probePort(
  port: number,
  request: string | Buffer,
  isComplete: (reply: string) => boolean,
): Promise<string> {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect({ port, host: '127.0.0.1', timeout: TIMEOUT_MS }, () => socket.write(request));
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1');
      if (isComplete(reply)) socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(reply));
  });
}
