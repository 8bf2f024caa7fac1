import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export type Logins = {
  readonly port: number;
  /** Refuses every login until `allow`. */
  refuse(): void;
  allow(): void;
  close(): Promise<void>;
};

const GREETING = 'VERSION\t1\t1\nMECH\tPLAIN\tplaintext\nSPID\t1\nCUID\t1\nCOOKIE\t1\nDONE\n';

/** Checks passwords for a mail server, over Dovecot's authentication protocol. */
export async function answerLogins(user: string, password: string): Promise<Logins> {
  const expected = Buffer.from(`\0${user}\0${password}`).toString('base64');
  const sockets = new Set<Socket>();
  let isRefusing = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.write(GREETING);
    createInterface(socket).on('line', (line) => {
      const [verb, id, ...parameters] = line.split('\t');
      if (verb !== 'AUTH') return;
      const isRight = !isRefusing && parameters.includes(`resp=${expected}`);
      socket.write(`${isRight ? 'OK' : 'FAIL'}\t${id}\tuser=${user}\n`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    refuse() {
      isRefusing = true;
    },
    allow() {
      isRefusing = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
