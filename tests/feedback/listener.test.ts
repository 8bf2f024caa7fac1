import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits, migrateDatabase, newId, returnPathMaker } from '@posthorn/domain';
import { startPostgres } from '@posthorn/servers';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import { createTransport } from 'nodemailer';
import { boundSessions } from '../../apps/inbound/src/listener/bound-sessions.js';
import { openTestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { dsn } from './reports.js';

const CERTIFICATES = join(import.meta.dirname, '../../packages/webhooks/test/client/certificates');
const REPORT = dsn({ address: 'jane@example.com' });

test('with a certificate, the listener takes reports over TLS', async () => {
  const inboundTls = { certFile: join(CERTIFICATES, 'valid.pem'), keyFile: join(CERTIFICATES, 'server.key') };
  const ctx = await openTestContext({ config: { inboundTls } });
  const inbound = await openTestInbound(ctx);
  const transport = createTransport({
    host: '127.0.0.1',
    port: inbound.port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
  });
  const to = returnPathMaker(ctx.config)({ emailId: newId(), positions: [0], domain: 'posthorn.localhost' });
  try {
    const { response } = await transport.sendMail({ envelope: { from: '', to }, raw: REPORT });
    expect(response).toMatch(/^250/);
    expect(await ctx.db('feedback_reports')).toHaveLength(1);
  } finally {
    transport.close();
    await inbound.close();
    await closeTestContext(ctx);
  }
});

test('while Postgres is away, the listener answers 451, and the report can be sent again later', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-postgres-'));
  const settings = { fsync: 'off' };
  let postgres = await startPostgres({ dataDir, settings });
  await migrateDatabase(postgres.url);
  const ctx = await openTestContext({ config: { databaseUrl: postgres.url } });
  const inbound = await openTestInbound(ctx);
  const to = returnPathMaker(ctx.config)({ emailId: newId(), positions: [0], domain: 'posthorn.localhost' });
  try {
    await postgres.stopImmediately();
    const error = await inbound.send(REPORT, { to }).catch((thrown) => thrown);
    expect([error.responseCode, error.response]).toEqual([451, expect.stringContaining('4.3.0')]);
    // Whether an address is ours is known without Postgres.
    expect(await inbound.send(REPORT, { to: 'jane@example.com' }).catch((thrown) => thrown)).toMatchObject({
      responseCode: 550,
    });
    postgres = await startPostgres({ dataDir, port: postgres.port, settings });
    expect(await inbound.send(REPORT, { to })).toMatch(/^250/);
    expect(await ctx.db('feedback_reports')).toHaveLength(1);
  } finally {
    await inbound.close();
    await closeTestContext(ctx);
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

describe('bounded sessions', () => {
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

  test('end even if the client sends a byte now and then', async () => {
    await listen(300);
    const { socket, closed } = await connect();
    const sending = setInterval(() => socket.write('x'), 20);
    await closed;
    clearInterval(sending);
  });

  test('of one address are limited, and those that ended do not count', async () => {
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
});
