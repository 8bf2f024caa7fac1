import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { type Context, limits } from '@posthorn/domain';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import { endLongSessions } from '../src/listener/limit-connections.js';
import { openTestInbound, type TestInbound } from './open-test-inbound.js';

let clients: Socket[];

beforeEach(() => {
  clients = [];
});

afterEach(() => {
  for (const client of clients) client.destroy();
});

function connect(port: number): Socket {
  const socket = createConnection(port, '127.0.0.1').on('error', () => {});
  clients.push(socket);
  return socket;
}

test('a connection ends even if the client sends a byte now and then', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).resume());
  endLongSessions(server, 300);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port).resume();
  const sending = setInterval(() => socket.write('x'), 20);
  // It may end with an error, because the client is still sending.
  await new Promise((closed) => socket.once('close', closed));
  clearInterval(sending);
  server.close();
});

describe('an address', () => {
  let ctx: Context;
  let inbound: TestInbound;

  beforeEach(async () => {
    ctx = await openTestContext({ ownDatabase: 'the listener processes the reports about all workspaces' });
    inbound = await openTestInbound(ctx);
  });

  afterEach(async () => {
    for (const client of clients) client.destroy();
    await inbound.close();
    await closeTestContext(ctx);
  });

  /** Connects. @returns the first line that the listener says */
  async function greeting(): Promise<string> {
    const [chunk] = await once(connect(inbound.port), 'data');
    return chunk.toString();
  }

  test('can have a limited number of connections, and those that ended do not count', async () => {
    const { max } = limits.inboundClientsPerAddress;
    const greetings = await Promise.all(Array.from({ length: max }, greeting));
    for (const line of greetings) expect(line).toMatch(/^220 /);
    expect(await greeting()).toMatch(/^421 .*4\.7\.0 Too many connections from your address/);
    clients[0]?.destroy();
    await until(async () => (await greeting()).startsWith('220 '));
  });
});
