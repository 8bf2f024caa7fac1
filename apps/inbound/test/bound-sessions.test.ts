import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { limits } from '@posthorn/domain';
import { until } from '@posthorn/testing';
import { boundSessions } from '../src/listener/bound-sessions.js';

type Client = { readonly socket: Socket; readonly closed: Promise<unknown> };

let server: Server;
let clients: Socket[];

beforeEach(() => {
  server = createServer((socket) => socket.on('error', () => {}).resume());
  clients = [];
});

afterEach(() => {
  for (const client of clients) client.destroy();
  server.close();
});

async function listen(sessionMs?: number): Promise<void> {
  boundSessions(server, sessionMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

async function connect(): Promise<Client> {
  const { port } = server.address() as AddressInfo;
  const socket = createConnection(port, '127.0.0.1').on('error', () => {});
  clients.push(socket);
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket: socket.resume(), closed };
}

const isConnections = (expected: number) =>
  new Promise<boolean>((resolve) => server.getConnections((_error, count) => resolve(count === expected)));

test('a connection ends even if the client sends a byte now and then', async () => {
  await listen(300);
  const { socket, closed } = await connect();
  const sending = setInterval(() => socket.write('x'), 20);
  await closed;
  clearInterval(sending);
});

test('the connections of one address are limited, and those that ended do not count', async () => {
  await listen();
  const { max } = limits.inboundClientsPerAddress;
  const all = await Promise.all(Array.from({ length: max }, connect));
  await (await connect()).closed;
  expect(await isConnections(max)).toBe(true);
  all[0]?.socket.destroy();
  await until(() => isConnections(max - 1));
  await connect();
  await until(() => isConnections(max));
  await (await connect()).closed;
});
