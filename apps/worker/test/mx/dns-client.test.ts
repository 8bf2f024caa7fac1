import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import dnsPacket from 'dns-packet';
import { createMailDns } from '../../src/mx/dns-client.js';

let dns: DnsServer;
let nowMs: number;

beforeEach(async () => {
  nowMs = 0;
  dns = await startDnsServer();
});
afterEach(() => dns.close());

const client = (...servers: string[]) =>
  createMailDns({ dnsServers: servers.length === 0 ? [dns.address] : servers }, { now: () => nowMs });

const countQuestions = (question: string) => dns.questions.filter((asked) => asked.startsWith(question)).length;

describe('the result of a look-up', () => {
  test('has the records of a name, whose case and final dot do not matter', async () => {
    dns.mx('a.example', { priority: 20, host: 'mx2.a.example' }, { priority: 0, host: '.' });
    dns.txt('a.example', ['v=STSv1; ', 'id=1;']);
    dns.addresses('a.example', '192.0.2.1', '2001:db8::1');
    const { lookUp } = client();
    expect(await lookUp('A.Example.', 'MX')).toEqual({
      status: 'records',
      records: [
        { preference: 20, exchange: 'mx2.a.example' },
        { preference: 0, exchange: '.' },
      ],
    });
    expect(await lookUp('a.example', 'TXT')).toEqual({ status: 'records', records: ['v=STSv1; id=1;'] });
    expect(await lookUp('a.example', 'A')).toEqual({ status: 'records', records: ['192.0.2.1'] });
    expect(await lookUp('a.example', 'AAAA')).toEqual({ status: 'records', records: ['2001:db8::1'] });
  });

  test('distinguishes a name that does not exist from one without such records', async () => {
    dns.addresses('a.example', '192.0.2.1');
    const { lookUp } = client();
    expect(await lookUp('a.example', 'MX')).toEqual({ status: 'no_records' });
    expect(await lookUp('gone.example', 'MX')).toEqual({ status: 'no_such_name' });
  });

  test.each(['a..example', `${'x'.repeat(64)}.example`, `${'x.'.repeat(127)}example`, ''])(
    'a name that DNS cannot have does not exist, and is not asked for: %s',
    async (name) => {
      expect(await client().lookUp(name, 'MX')).toEqual({ status: 'no_such_name' });
      expect(dns.questions).toEqual([]);
    },
  );

  test.each(['SERVFAIL', 'REFUSED'] as const)('%s is a failure', async (fault) => {
    dns.fail('a.example', fault);
    expect(await client().lookUp('a.example', 'MX')).toEqual({ status: 'failed', why: fault });
    expect(countQuestions('MX a.example')).toBe(1);
  });

  test('silence is a time-out after a second round', async () => {
    dns.fail('a.example', 'silence');
    const startedAt = performance.now();
    expect(await client().lookUp('a.example', 'MX')).toEqual({ status: 'failed', why: 'time-out' });
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(countQuestions('MX a.example')).toBe(2);
  });

  test('nobody listening is a failure', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    socket.close();
    await once(socket, 'close');
    expect(await client(`127.0.0.1:${port}`).lookUp('a.example', 'MX')).toEqual({
      status: 'failed',
      why: 'unreachable',
    });
  });

  test('a truncated answer is asked for again over TCP', async () => {
    const hosts = Array.from({ length: 60 }, (_, index) => ({
      priority: index,
      host: `mx-with-a-name-${index}.example`,
    }));
    dns.mx('long.example', ...hosts);
    expect(await client().lookUp('long.example', 'MX')).toMatchObject({ status: 'records', records: { length: 60 } });
    expect(dns.questions).toEqual(['MX long.example over udp', 'MX long.example over tcp']);
  });

  test('an answer of up to 1,232 bytes comes over UDP', async () => {
    dns.txt('large.example', 'x'.repeat(900));
    expect(await client().lookUp('large.example', 'TXT')).toEqual({ status: 'records', records: ['x'.repeat(900)] });
    expect(dns.questions).toEqual(['TXT large.example over udp']);
  });
});

test('more look-ups than 500 at the same time fail at once, and are not cached', async () => {
  dns.failAll('silence');
  dns.soa('example', { ttl: 60, minimum: 60 });
  const { lookUp } = client();
  const slow = Array.from({ length: 500 }, (_, index) => lookUp(`slow${index}.example`, 'A'));
  expect(await lookUp('a.example', 'A')).toEqual({ status: 'failed', why: 'too many look-ups' });
  expect(await Promise.all(slow)).toContainEqual({ status: 'failed', why: 'time-out' });
  dns.heal();
  expect(await lookUp('a.example', 'A')).toEqual({ status: 'no_such_name' });
});

describe('aliases', () => {
  test.each([true, false])('are followed, whether the server adds their targets or not (%s)', async (follows) => {
    dns.followAliases(follows);
    dns.cname('a.example', 'B.example');
    dns.cname('b.example', 'c.example');
    dns.addresses('c.example', '192.0.2.1');
    const { lookUp } = client();
    expect(await lookUp('a.example', 'A')).toEqual({ status: 'records', records: ['192.0.2.1'] });
    expect(await lookUp('a.example', 'MX')).toEqual({ status: 'no_records' });
  });

  test('a target that does not exist means that the name does not exist', async () => {
    dns.followAliases(false);
    dns.cname('a.example', 'gone.example');
    expect(await client().lookUp('a.example', 'A')).toEqual({ status: 'no_such_name' });
  });

  test('a loop ends', async () => {
    dns.followAliases(false);
    dns.cname('a.example', 'b.example');
    dns.cname('b.example', 'a.example');
    expect(await client().lookUp('a.example', 'A')).toEqual({ status: 'failed', why: 'loop' });
    expect(dns.questions.length).toBeLessThan(12);
  });

  test('a loop inside one reply ends', async () => {
    const server = await startRawDns((query) => [
      { type: 'CNAME', name: query.name, ttl: 60, data: 'b.example' },
      { type: 'CNAME', name: 'b.example', ttl: 60, data: query.name },
    ]);
    expect(await client(server.address).lookUp('a.example', 'A')).toEqual({ status: 'failed', why: 'loop' });
    server.close();
  });
});

describe('several servers', () => {
  test.each(['SERVFAIL', 'REFUSED', 'silence'] as const)('the next one is asked after %s', async (fault) => {
    const broken = await startDnsServer();
    broken.failAll(fault);
    dns.mx('a.example', { priority: 10, host: 'mx.a.example' });
    expect(await client(broken.address, dns.address).lookUp('a.example', 'MX')).toMatchObject({ status: 'records' });
    expect(broken.questions).toHaveLength(1);
    await broken.close();
  });

  test('without DNS_SERVERS, those of the system are asked, for the name alone', async () => {
    dns.addresses('intranet.corp.example', '192.0.2.20');
    const { lookUp } = createMailDns({ dnsServers: [] }, { findSystemServers: () => [dns.address] });
    expect(await lookUp('intranet', 'A')).toEqual({ status: 'no_such_name' });
    expect(await lookUp('localhost', 'A')).toEqual({ status: 'no_such_name' });
    expect(dns.questions).toEqual(['A intranet over udp', 'A localhost over udp']);
  });
});

describe('the cache', () => {
  test('keeps records for their TTL, but for an hour at most', async () => {
    dns.addresses('short.example', '192.0.2.1');
    dns.setTtl(86_400);
    dns.addresses('long.example', '192.0.2.1');
    const { lookUp } = client();
    const askBoth = () => Promise.all([lookUp('short.example', 'A'), lookUp('long.example', 'A')]);
    await askBoth();
    nowMs = 59_000;
    await askBoth();
    expect(dns.questions).toHaveLength(2);
    nowMs = 61_000;
    await askBoth();
    expect([countQuestions('A short.example'), countQuestions('A long.example')]).toEqual([2, 1]);
    nowMs = 3_601_000;
    await askBoth();
    expect(countQuestions('A long.example')).toBe(2);
  });

  test('takes the shortest TTL of the aliases', async () => {
    dns.addresses('b.example', '192.0.2.1');
    dns.setTtl(5);
    dns.cname('a.example', 'b.example');
    const { lookUp } = client();
    await lookUp('a.example', 'A');
    nowMs = 6_000;
    await lookUp('a.example', 'A');
    expect(countQuestions('A a.example')).toBe(2);
  });

  test.each(['gone.example', 'here.example'])(
    'keeps for as long as the SOA says that there is nothing at %s',
    async (name) => {
      dns.soa('example', { ttl: 900, minimum: 30 });
      dns.addresses('here.example', '192.0.2.1');
      const { lookUp } = client();
      await lookUp(name, 'MX');
      nowMs = 29_000;
      await lookUp(name, 'MX');
      expect(dns.questions).toHaveLength(1);
      nowMs = 31_000;
      await lookUp(name, 'MX');
      expect(dns.questions).toHaveLength(2);
    },
  );

  test('does not keep that there is nothing without an SOA', async () => {
    const { lookUp } = client();
    await lookUp('gone.example', 'MX');
    await lookUp('gone.example', 'MX');
    expect(dns.questions).toHaveLength(2);
  });

  test('forgets a failure after a second', async () => {
    dns.fail('a.example', 'REFUSED', { type: 'MX', times: 1 });
    dns.mx('a.example', { priority: 10, host: 'mx.a.example' });
    const { lookUp } = client();
    expect(await lookUp('a.example', 'MX')).toEqual({ status: 'failed', why: 'REFUSED' });
    nowMs = 500;
    expect(await lookUp('a.example', 'MX')).toEqual({ status: 'failed', why: 'REFUSED' });
    nowMs = 1_001;
    expect(await lookUp('a.example', 'MX')).toMatchObject({ status: 'records' });
  });

  test('is passed over for a fresh answer', async () => {
    dns.txt('a.example', 'old');
    const { lookUp } = client();
    await lookUp('a.example', 'TXT');
    dns.txt('a.example', 'new');
    expect(await lookUp('a.example', 'TXT')).toEqual({ status: 'records', records: ['old'] });
    expect(await lookUp('a.example', 'TXT', { isFresh: true })).toEqual({ status: 'records', records: ['new'] });
    expect(await lookUp('a.example', 'TXT')).toEqual({ status: 'records', records: ['new'] });
  });

  test('one question is in flight for each name and type', async () => {
    dns.addresses('a.example', '192.0.2.1');
    const { lookUp } = client();
    await Promise.all(Array.from({ length: 10 }, () => lookUp('a.example', 'A')));
    expect(dns.questions).toHaveLength(1);
  });
});

type Answers = (question: { name: string }) => object[];

/** @param forged sent before each reply, and must not count */
async function startRawDns(answer: Answers, forged: (packet: { id: number }) => object[] = () => []) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const ids: number[] = [];
  const ports: number[] = [];
  socket.on('message', (bytes, peer) => {
    const { id = 0, questions: [question] = [] } = dnsPacket.decode(bytes);
    if (!question) return;
    ids.push(id);
    ports.push(peer.port);
    const reply = { type: 'response', id, questions: [question], answers: answer(question) };
    const packets = [...forged(reply).map((change) => ({ ...reply, ...change })), reply];
    for (const packet of packets) socket.send(dnsPacket.encode(packet as dnsPacket.Packet), peer.port);
  });
  return { address: `127.0.0.1:${socket.address().port}`, ids, ports, close: () => void socket.close() };
}

const A = (data: string) => (question: { name: string }) => [{ type: 'A', name: question.name, ttl: 0, data }];

test('replies with another id or to another question do not count', async () => {
  const bad = { answers: [{ type: 'A', name: 'a.example', ttl: 60, data: '203.0.113.66' }] };
  const server = await startRawDns(A('192.0.2.1'), ({ id }) => [
    { ...bad, id: (id + 1) & 0xffff },
    { ...bad, questions: [{ type: 'A', name: 'b.example' }] },
    { ...bad, questions: [{ type: 'AAAA', name: 'a.example' }] },
    { ...bad, questions: [] },
    { ...bad, type: 'query' },
  ]);
  expect(await client(server.address).lookUp('a.example', 'A')).toEqual({ status: 'records', records: ['192.0.2.1'] });
  server.close();
});

test('each question has its own id and source port', async () => {
  const server = await startRawDns(A('192.0.2.1'));
  const { lookUp } = client(server.address);
  for (let index = 0; index < 20; index += 1) await lookUp('a.example', 'A');
  expect(new Set(server.ids).size).toBeGreaterThan(18);
  expect(new Set(server.ports).size).toBeGreaterThan(15);
  server.close();
});

test('a server that does not know EDNS is asked without it', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (bytes, peer) => {
    const { id, questions: [question] = [], additionals = [] } = dnsPacket.decode(bytes);
    if (!question) return;
    const hasEdns = additionals.length > 0;
    const answers = [{ type: 'A' as const, name: question.name, ttl: 60, data: '192.0.2.1' }];
    const reply = hasEdns ? { flags: 1 } : { questions: [question], answers };
    socket.send(dnsPacket.encode({ type: 'response', id, ...reply } as dnsPacket.Packet), peer.port);
  });
  const { lookUp } = client(`127.0.0.1:${socket.address().port}`);
  expect(await lookUp('a.example', 'A')).toEqual({ status: 'records', records: ['192.0.2.1'] });
  socket.close();
});
