import { connect } from 'node:net';

const TIMEOUT_MS = 1_000;

/**
 * Sends bytes to a port of this machine and reads until the answer is complete.
 * @returns what came until then; an empty text when nothing listens
 */
export function ask(port: number, question: string | Buffer, isComplete: (answer: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1', timeout: TIMEOUT_MS }, () => socket.write(question));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (isComplete(answer)) socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer));
  });
}
