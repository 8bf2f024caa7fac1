import { createServer, type Socket } from 'node:net';

/**
 * A mail server that accepts and forgets everything. Unlike smtp-sink, it does not look at each byte of a message, so
 * it is not what limits the rate of large messages. It relies on clients that wait for the reply to the final dot.
 */
const END = '\r\n.\r\n';

// Without it, the reply to the second of several pipelined commands would wait for an ACK, up to 40 ms.
const server = createServer({ noDelay: true }, serve).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sink has no port');
  process.send?.(address.port);
});
process.once('disconnect', () => process.exit());

function serve(socket: Socket): void {
  let isMessage = false;
  let commands = '';
  let tail = '';
  socket.on('error', () => {});
  socket.write('220 sink ESMTP\r\n');
  socket.on('data', (chunk: Buffer) => {
    if (isMessage) {
      tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - END.length))).slice(-END.length);
      if (tail !== END) return;
      isMessage = false;
      socket.write('250 2.0.0 Ok\r\n');
      return;
    }
    commands += chunk.toString('latin1');
    const lines = commands.split('\r\n');
    commands = lines.pop() as string;
    for (const line of lines) {
      const [verb = ''] = line.toUpperCase().split(/[ :]/);
      socket.write(replies[verb] ?? '250 2.0.0 Ok\r\n');
      if (verb === 'QUIT') socket.end();
      if (verb !== 'DATA') continue;
      isMessage = true;
      tail = '\r\n';
    }
  });
}

const replies: Record<string, string> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n',
  DATA: '354 Go ahead\r\n',
  QUIT: '221 2.0.0 Bye\r\n',
};
