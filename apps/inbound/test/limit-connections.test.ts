import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { limits } from '@posthorn/domain/limits';
import type { Context } from '@posthorn/platform';
import { closeTestContext, openTestContext, until } from '@posthorn/testing';
import { Gauge } from 'prom-client';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { limitConnections } from '../src/limit-connections.js';
import { openTestInbound, type TestInbound } from './open-test-inbound.js';

const CERTIFICATES = join(import.meta.dirname, '../../../packages/webhooks/test/certificates');

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

describe('a connection', () => {
  const open = new Gauge({ name: 'open', help: 'Open connections', registers: [] });
  const isOpen = async () => (await open.get()).values[0]?.value === 1;
  let server: SMTPServer;

  async function listen(maxMs: number): Promise<number> {
    server = new SMTPServer({
      ...limitConnections(() => server, { open, maxMs }),
      authOptional: true,
      cert: readFileSync(join(CERTIFICATES, 'valid.pem')),
      key: readFileSync(join(CERTIFICATES, 'server.key')),
      disableReverseLookup: true,
    });
    server.on('error', () => {}).listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return (server.server.address() as AddressInfo).port;
  }

  afterEach(() => new Promise<void>((closed) => server.close(closed)));

  async function startTls(port: number): Promise<Socket> {
    const socket = connect(port);
    await once(socket, 'data');
    socket.write('STARTTLS\r\n');
    await once(socket, 'data');
    const secure = connectTls({ socket, rejectUnauthorized: false }).on('error', () => {});
    clients.push(secure);
    await once(secure, 'secureConnect');
    return secure;
  }

  test('ends even if the client sends a byte now and then', async () => {
    const port = await listen(300);
    for (const socket of [connect(port), await startTls(port)]) {
      const sending = setInterval(() => socket.write('x'), 20);
      // It may end with an error, because the client is still sending.
      await new Promise((closed) => socket.resume().once('close', closed));
      clearInterval(sending);
    }
  });

  test('is open until it ends, with and without TLS', async () => {
    const port = await listen(60_000);
    for (const begin of [async () => connect(port), () => startTls(port)]) {
      const socket = await begin();
      await until(isOpen);
      socket.destroy();
      await until(async () => !(await isOpen()));
    }
  });
});

describe('the connections of networks', () => {
  let sessions: SMTPServerSession[];
  let ended: string[];
  let limit: ReturnType<typeof limitConnections>;

  /** As smtp-server does it, without 1,000 sockets from as many networks. */
  function begin(): void {
    const open = new Gauge({ name: 'open', help: 'Open connections', registers: [] });
    const connections = () => sessions.map(({ id }) => ({ id, send: () => ended.push(id) }));
    const server = { connections: { [Symbol.iterator]: () => connections().values() } } as unknown as SMTPServer;
    [sessions, ended] = [[], []];
    limit = limitConnections(() => server, { open, maxMs: 60_000 });
  }

  const close = (session: SMTPServerSession) => limit.onClose?.call({} as SMTPServer, session, () => {});

  afterEach(() => sessions.forEach(close));

  /** @returns the code that the client gets; undefined if it may stay */
  function connectFrom(remoteAddress: string): number | undefined {
    const session = { id: String(sessions.length), remoteAddress } as SMTPServerSession;
    sessions.push(session);
    let refusal: { responseCode?: number } | null | undefined;
    limit.onConnect?.call({} as SMTPServer, session, (error) => {
      refusal = error as typeof refusal;
    });
    return refusal?.responseCode;
  }

  test('are limited for all addresses of an IPv6 /64 network together', () => {
    begin();
    const { max } = limits.inboundClientsPerNetwork;
    for (let host = 1; host <= max; host += 1) expect(connectFrom(`2001:db8:1:2::${host}`)).toBeUndefined();
    expect(connectFrom('2001:db8:1:2:ffff:1:2:3')).toBe(421);
    expect(connectFrom('2001:db8:1:3::1')).toBeUndefined();
    expect(connectFrom('192.0.2.1')).toBeUndefined();
    close(sessions[0] as SMTPServerSession);
    expect(connectFrom('2001:db8:1:2:ffff::')).toBeUndefined();
  });

  test('that have the most make room for others, oldest first, until all have as many', () => {
    begin();
    const { max } = limits.inboundClients;
    const networks = max / limits.inboundClientsPerNetwork.max;
    for (let connection = 0; connection < max; connection += 1)
      expect(connectFrom(`192.0.2.${connection % networks}`)).toBeUndefined();
    const fair = Math.floor(max / (networks + 1));
    const oldest = (count: number) => sessions.slice(0, count).map(({ id }) => id);
    for (let connection = 0; connection < fair; connection += 1) expect(connectFrom('198.51.100.1')).toBeUndefined();
    expect(ended).toEqual(oldest(fair));
    expect(connectFrom('198.51.100.1')).toBe(421);
    expect(connectFrom('198.51.100.2')).toBeUndefined();
    expect(ended).toEqual(oldest(fair + 1));
  });
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

  test('can close its connection at once', async () => {
    for (let connection = 0; connection < 20; connection += 1) {
      const socket = connect(inbound.port);
      await once(socket, 'connect');
      socket.resetAndDestroy();
    }
    expect(await greeting()).toMatch(/^220 /);
  });

  test('can have a limited number of connections, and those that ended do not count', async () => {
    const { max } = limits.inboundClientsPerNetwork;
    const greetings = await Promise.all(Array.from({ length: max }, greeting));
    for (const line of greetings) expect(line).toMatch(/^220 /);
    expect(await greeting()).toMatch(/^421 .*4\.7\.0 Too many connections from your network/);
    clients[0]?.destroy();
    await until(async () => (await greeting()).startsWith('220 '));
  });
});
