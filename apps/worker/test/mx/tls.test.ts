import type { Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { explainEmail } from '@posthorn/domain/emails';
import {
  always,
  cut,
  type Fault,
  type ForkedProgram,
  forkProgram,
  type Reaction,
  say,
  sayAndCut,
} from '@posthorn/testing';
import { connectToHosts, createHostMemory, type HostMemory } from '../../src/mx/connect-to-hosts.js';
import { defaultTimeouts } from '../default-timeouts.js';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';
import { openTestRelays } from '../test-relays.js';
import { warningLog } from '../warning-log.js';
import type { Delivered, Delivery } from './deliver-on-message.js';
import { CERTIFICATES, openSites, readCertificate, type SiteServer, type Sites } from './open-sites.js';

const [A, B] = ['127.0.0.2', '127.0.0.3'] as const;

let sites: Sites;
let a: SiteServer;
let b: SiteServer;
let t: TestWorker;
/** Trusts the authority of our certificates. Node reads that setting when it starts, so this process cannot. */
let trusting: ForkedProgram;

beforeAll(async () => {
  sites = await openSites(A, B);
  [a, b] = sites.servers as [SiteServer, SiteServer];
  const config = {
    smtpUrls: ['mx:'],
    mxPort: sites.port,
    mxAllowedNetworks: ['127.0.0.0/8'],
    dnsServers: [sites.dns.address],
    retryScheduleSeconds: [1, 1, 1, 1],
    smtpTimeouts: { greetingSeconds: 1, replySeconds: 3, finalReplySeconds: 5, transactionSeconds: 30 },
  };
  t = await openTestWorker({ config });
  trusting = forkProgram(join(import.meta.dirname, 'deliver-on-message.ts'), [], {
    NODE_EXTRA_CA_CERTS: join(CERTIFICATES, 'authority.pem'),
    DATABASE_URL: t.ctx.config.databaseUrl,
    REDIS_URL: t.ctx.config.redisUrl,
    SMTP_URL: 'mx:',
    MX_PORT: String(sites.port),
    MX_ALLOWED_NETWORKS: '127.0.0.0/8',
    DNS_SERVERS: sites.dns.address,
    SECRET_KEY: String(t.ctx.config.secretKey),
    PUBLIC_URL: 'http://localhost:3000',
  });
});

afterAll(async () => {
  await trusting.stop();
  await t.close();
  await sites.close();
});

beforeEach(() => sites.reset());

/** Says that TLS may begin, and then does something else. */
const thenInstead =
  (reaction: Reaction): Reaction =>
  (socket: Socket) => {
    socket.removeAllListeners('data');
    socket.write('220 Go on\r\n', () => reaction(socket));
  };

const reset: Reaction = (socket) => void setTimeout(() => socket.resetAndDestroy(), 20);
const oldTls = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;

/** What a mail server does about TLS. */
type Case = {
  readonly name: string;
  /** null if it does not offer STARTTLS. */
  readonly certificate: string | null;
  readonly isOldTls?: boolean;
  readonly fault?: Fault;
};

const good: Case = { name: 'a good certificate', certificate: 'mail-server' };
const invalid = ['self-signed', 'expired', 'other-name'].map((name) => ({
  name: `a certificate: ${name}`,
  certificate: name,
}));
const failing: readonly Case[] = [
  ['bytes that are not TLS', thenInstead((socket) => socket.write('Hello, this is not TLS\r\n'.repeat(10)))],
  ['a reset', thenInstead(reset)],
  ['silence', thenInstead(() => {})],
  ['454 to STARTTLS', say('454 4.7.0 TLS not available due to temporary reason')],
  ['502 to STARTTLS though it is offered', say('502 5.5.1 Command not implemented')],
].map(([name, reaction]) => ({
  name: String(name),
  certificate: 'mail-server',
  fault: always('STARTTLS', reaction as Reaction),
}));
const onlyOld: Case = { name: 'TLS 1.0 alone', certificate: 'mail-server', isOldTls: true };
const never: Case = { name: 'no STARTTLS', certificate: null };

function set(server: SiteServer, { certificate, isOldTls, fault = () => undefined }: Case): void {
  server.tls = certificate === null ? null : { ...readCertificate(certificate), ...(isOldTls && oldTls) };
  server.fault = fault;
}

const explain = async (id: string) => explainEmail(await t.read(id), new Date());
const encryption = ({ messages }: SiteServer) => messages.map(({ isEncrypted }) => isEncrypted);

describe('without a policy', () => {
  test.each([...invalid, good])('mail goes over TLS, whatever the certificate says ($name)', async (each) => {
    set(a, each);
    const id = await t.accept({ to: [`jane@${sites.domainAt(A)}`] });
    expect((await t.until(id, 'sent')).attempts).toHaveLength(1);
    expect(encryption(a)).toEqual([true]);
    expect(a.connections()).toBeGreaterThan(0);
  });

  test.each([never, ...failing, onlyOld])('mail goes in clear if TLS fails ($name)', async (each) => {
    set(a, each);
    const domain = sites.domainAt(A);
    const startedAt = performance.now();
    const id = await t.accept({ to: [`jane@${domain}`] });
    expect((await t.until(id, 'sent')).attempts).toMatchObject([{ outcome: 'sent' }]);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(encryption(a)).toEqual([false]);
  });
});

test('without a policy, a server that demands TLS after the fall-back defers mail', async () => {
  const demand = say('530 5.7.0 Must issue a STARTTLS command first');
  const noTls = thenInstead(reset);
  set(a, {
    name: '',
    certificate: 'mail-server',
    fault: (moment) => ({ STARTTLS: noTls, MAIL: demand })[String(moment)],
  });
  const domain = sites.domainAt(A);
  const id = await t.accept({ to: [`jane@${domain}`] });
  const { recipients } = await t.until(id, 'deferred');
  expect(recipients[0]?.status).not.toBe('bounced');
  expect(await explain(id)).toMatch(/^Waiting .*: mx1-\S+ .*530 5\.7\.0 Must issue a STARTTLS command first\. /);
  set(a, { name: '', certificate: null });
  await t.until(id, 'sent');
});

describe('that TLS fails with a host', () => {
  let now: number;
  let memory: HostMemory;

  beforeEach(() => {
    now = 0;
    memory = createHostMemory(() => now);
  });

  /** @returns whether the session with the server is encrypted */
  async function connect(address: string = A): Promise<boolean> {
    const timeouts = { ...defaultTimeouts, greetingMs: 500 };
    const source = { ipv4: null, ipv6: null };
    const host = { name: 'mx.tls.example', preference: 10, addresses: [{ address, family: 4 as const }] };
    const target = { hosts: [host], policyOf: null, isIpv4Only: false };
    const session = { span: undefined, onClose: () => {} };
    const { socket, close } = await connectToHosts(
      { port: sites.port, timeouts, ehlo: null, source },
      memory,
      target,
      session,
    );
    close();
    return socket instanceof TLSSocket;
  }

  test('is remembered for an hour', async () => {
    set(a, onlyOld);
    expect(await connect()).toBe(false);
    expect(a.commands).toEqual(['EHLO', 'STARTTLS', 'EHLO']);
    set(a, good);
    a.forget();
    now = 60 * 60_000 - 1;
    expect(await connect()).toBe(false);
    expect(a.commands).toEqual(['EHLO']);
    now += 1;
    expect(await connect()).toBe(true);
  });

  test('is not learned from a connection that breaks after the handshake', async () => {
    set(a, { ...good, fault: always('MAIL', (socket) => void setTimeout(() => cut(socket), 300)) });
    const domain = sites.domainAt(A);
    const id = await t.accept({ to: [`jane@${domain}`] });
    await t.until(id, 'deferred');
    set(a, good);
    await t.until(id, 'sent');
    expect(encryption(a)).toEqual([true]);
  });

  test.each([
    ['refuses connections', cut],
    ['refuses us', sayAndCut('421 4.3.2 Busy')],
  ])('is not learned from one that %s', async (_, reaction) => {
    set(a, { ...good, fault: always('CONNECT', reaction) });
    await expect(connect()).rejects.toThrow();
    set(a, good);
    expect(await connect()).toBe(true);
  });

  test('is not learned while clear text does not work either', async () => {
    let sessions = 0;
    set(a, {
      ...onlyOld,
      fault(moment) {
        sessions += Number(moment === 'CONNECT');
        return sessions === 2 ? cut : undefined;
      },
    });
    await expect(connect()).rejects.toThrow();
    set(a, good);
    expect(await connect()).toBe(true);
  });
});

describe('with a policy that enforces TLS', () => {
  const policy = { mode: 'enforce', mx: ['*.tls.example'], id: '1' } as const;
  const deliver = (domain: string) => trusting.ask<Delivered>({ to: [`jane@${domain}`], policy } satisfies Delivery);

  test('mail goes over TLS with a good certificate', async () => {
    set(a, good);
    const { replies } = await deliver(sites.domainAt(A));
    expect(replies).toMatchObject([[expect.any(String), 'accepted', '250 OK: queued']]);
    expect(encryption(a)).toEqual([true]);
  });

  test.each([never, ...invalid, ...failing, onlyOld])(
    'mail is deferred and nothing leaves in clear ($name)',
    async (each) => {
      set(a, each);
      const domain = sites.domainAt(A);
      const { replies, ms } = await deliver(domain);
      const text = `The MTA-STS policy of ${domain} demands TLS, which fails with mx1-`;
      expect(replies).toEqual([[`jane@${domain}`, 'deferred', expect.stringContaining(text)]]);
      expect(replies[0]?.[2]).not.toMatch(/error:0A|\n|\.\.\//);
      expect(ms).toBeLessThan(5_000);
      expect([a.mails, a.messages]).toEqual([[], []]);
    },
  );

  test('a server that refuses connections is not said to fail with TLS', async () => {
    set(a, { ...good, fault: always('CONNECT', sayAndCut('421 4.3.2 Shutting down')) });
    const { replies } = await deliver(sites.domainAt(A));
    expect(replies).toMatchObject([
      [expect.any(String), 'deferred', expect.stringMatching(/^421 4\.3\.2 Shutting down/)],
    ]);
  });

  test.each([onlyOld, never])('the next server is used at once if TLS fails with the first ($name)', async (each) => {
    set(a, each);
    set(b, good);
    const { replies, ms } = await deliver(sites.domainAt(A, B));
    expect(replies).toMatchObject([[expect.any(String), 'accepted', '250 OK: queued']]);
    expect([encryption(a), encryption(b)]).toEqual([[], [true]]);
    expect(ms).toBeLessThan(2_000);
  });

  test('a server that the policy does not name is never used', async () => {
    for (const server of [a, b]) set(server, good);
    const domain = sites.domainAt(A, B);
    a.fault = always('CONNECT', cut);
    const one = { ...policy, mx: [`mx1-${domain.replace('.example', '.tls.example')}`] };
    const { replies } = await trusting.ask<Delivered>({ to: [`jane@${domain}`], policy: one } satisfies Delivery);
    expect(replies).toMatchObject([[expect.any(String), 'deferred', expect.any(String)]]);
    expect(b.commands).toEqual([]);
    const none = { ...policy, mx: ['*.h.tls.example'] };
    const refused = await trusting.ask<Delivered>({ to: [`jane@${domain}`], policy: none } satisfies Delivery);
    expect(refused.replies[0]?.[2]).toContain(`The MTA-STS policy of ${domain} (*.h.tls.example) does not allow`);
    expect(refused.replies[0]?.[2]).toContain('mx1-');
  });
});

describe('a relay with a login gets no password', () => {
  const login = 'posthorn:secret@';
  const cases: ReadonlyArray<readonly [string, string, Case]> = [
    ['without STARTTLS', `smtp://${login}${A}:PORT?requireTLS=true`, never],
    ['whose STARTTLS fails', `smtp://${login}${A}:PORT?requireTLS=true`, onlyOld],
    ['that refuses STARTTLS', `smtp://${login}${A}:PORT?requireTLS=true`, failing[3] as Case],
    [
      'whose certificate is for another name',
      `smtp://${login}${A}:PORT?requireTLS=true&tls.rejectUnauthorized=true`,
      good,
    ],
    ['that does not speak TLS on connection', `smtps://${login}${A}:PORT`, never],
  ];

  test.each(cases)('%s', async (_, url, each) => {
    set(a, each);
    const relays = openTestRelays(
      {
        smtpUrls: [url.replace('PORT', String(sites.port))],
        checkSender: 'check@example.com',
        timeouts: { ...defaultTimeouts, greetingMs: 1_000, replyMs: 1_000 },
      },
      warningLog(),
    );
    const sent = await relays.send({
      ...{ workspaceId: 'acme', envelope: { from: 'me@example.com', to: ['jane@example.com'] } },
      ...{ message: Buffer.from('Subject: Hi\r\n\r\nHi\r\n'), mayStart: () => true },
    });
    relays.close();
    expect(sent).toMatchObject({ end: 'no_route', phase: 'connect' });
    expect(a.commands.filter((verb) => verb === 'AUTH' || verb === 'MAIL')).toEqual([]);
  });
});
