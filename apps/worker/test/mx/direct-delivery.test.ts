import { setTimeout as sleep } from 'node:timers/promises';
import { explainEmail } from '@posthorn/domain/emails';
import { always, cut, type DnsServer, first, say, sayAndCut } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';
import { openSites, type SiteServer, type Sites } from './open-sites.js';

let sites: Sites;
let dns: DnsServer;
let t: TestWorker;
let a: SiteServer;
let b: SiteServer;
let c: SiteServer;

/** No other test lets these fail, because an address that failed comes last for a while. */
const EQUAL_HOSTS = ['127.0.0.6', '127.0.0.7', '127.0.0.8', '127.0.0.9'];

beforeAll(async () => {
  sites = await openSites('127.0.0.2', '127.0.0.3', '127.0.0.4', ...EQUAL_HOSTS);
  dns = sites.dns;
  [a, b, c] = sites.servers as [SiteServer, SiteServer, SiteServer];
  t = await openTestWorker({
    config: {
      smtpUrls: ['mx:'],
      mxPort: sites.port,
      mxAllowedNetworks: ['127.0.0.0/8'],
      dnsServers: [dns.address],
      retryScheduleSeconds: [1, 1, 1],
    },
  });
});

afterAll(async () => {
  await t.close();
  await sites.close();
});

beforeEach(() => sites.reset());

const domainAt = (...addresses: string[]) => sites.domainAt(...addresses);
const explain = async (id: string) => explainEmail(await t.read(id), new Date());

test('goes to the mail servers of the recipients, one envelope for each site, and each result counts alone', async () => {
  const [one, two, other] = [domainAt('127.0.0.2'), domainAt('127.0.0.3'), 'alias.example'];
  // Another domain of the same site.
  dns.mx(other, { priority: 5, host: `mx1-${one.replace('.example', '.tls.example')}` });
  b.fault = always('RCPT', say('550 5.1.1 No such user'));
  const id = await t.accept({ to: [`jane@${one}`, `joe@${two}`, `jim@${other}`] });
  const email = await t.until(id, 'sent');
  expect(email.recipients.map(({ status, smtpCode }) => [status, smtpCode])).toEqual([
    ['sent', 250],
    ['bounced', 550],
    ['sent', 250],
  ]);
  expect(a.messages.map(({ to }) => to)).toEqual([[`jane@${one}`, `jim@${other}`]]);
  expect(email.attempts).toMatchObject([{ route: 'env-1', outcome: 'partial' }]);
  expect(email.attempts[0]?.conversation).toContain(`-- mx1-${one.replace('.example', '.tls.example')} [127.0.0.2]`);
});

test('uses the next server if one takes no session, and the one that answers decides', async () => {
  const domain = domainAt('127.0.0.2', '127.0.0.3');
  a.fault = always('CONNECT', cut);
  await t.until(await t.accept({ to: [`jane@${domain}`] }), 'sent');
  expect(b.messages).toHaveLength(1);
  b.fault = always('RCPT', say('450 4.3.0 Not now'));
  const id = await t.accept({ to: [`jane@${domain}`] });
  const { recipients } = await t.until(id, 'deferred');
  expect(recipients[0]).toMatchObject({ smtpCode: 450 });
  expect(await explain(id)).toMatch(/: mx2-\S+ answered 450 4\.3\.0 Not now\. 1 attempt so far/);
  b.fault = () => undefined;
  await t.until(id, 'sent');
});

test('takes a 5xx greeting for a refusal of us', async () => {
  const domain = domainAt('127.0.0.2');
  a.fault = always('CONNECT', sayAndCut('554 5.7.1 no SMTP service for you here'));
  const id = await t.accept({ to: [`jane@${domain}`] });
  await t.until(id, 'deferred');
  expect((await t.read(id)).recipients[0]).toMatchObject({ status: 'queued' });
  expect((await t.ctx.db('deliveries').where({ email_id: id }).first()).deferrals).toBe(0);
  a.fault = () => undefined;
  await t.until(id, 'sent');
});

test.each([
  ['a null MX', 'nomail.example', (name: string) => dns.mx(name, { priority: 0, host: '' }), '5.1.10'],
  ['a domain that does not exist', 'gone.example', () => {}, '5.1.2'],
])('bounces mail to %s', async (_, domain, setUp, enhanced) => {
  setUp(domain);
  const id = await t.accept({ to: [`jane@${domain}`] });
  const { recipients } = await t.until(id, 'bounced');
  expect(recipients[0]).toMatchObject({ smtpCode: null, bounceClass: 'bad_domain' });
  expect(recipients[0]?.smtpResponse).toContain(enhanced);
});

test('defers mail while DNS fails, and says so', async () => {
  const domain = domainAt('127.0.0.2');
  dns.fail(domain, 'SERVFAIL', { type: 'MX', times: 1 });
  const id = await t.accept({ to: [`jane@${domain}`] });
  await t.until(id, 'deferred');
  expect(await explain(id)).toContain('DNS');
  expect((await t.read(id)).recipients[0]?.smtpCode).toBeNull();
  await t.until(id, 'sent');
});

test('never connects to addresses that are private unless they are allowed', async () => {
  const domain = domainAt('10.0.0.5');
  const id = await t.accept({ to: [`jane@${domain}`] });
  const { recipients } = await t.until(id, 'deferred');
  expect(recipients[0]?.smtpResponse).toContain('private');
});

test('slows down a site that asks for it, and goes on with others', async () => {
  const [slow, other] = [domainAt('127.0.0.2'), domainAt('127.0.0.3')];
  a.fault = always('MAIL', say('421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume'));
  const ids = [];
  for (let count = 0; count < 5; count += 1) {
    ids.push(await t.accept({ to: [`jane@${slow}`] }));
    await sleep(50);
  }
  await t.until(await t.accept({ to: [`jane@${other}`] }), 'sent');
  const refused = a.mails.length;
  expect(refused).toBeLessThanOrEqual(5);
  a.fault = () => undefined;
  for (const id of ids) await t.until(id, 'sent');
  expect(a.messages).toHaveLength(5);
});

test('keeps to the connections of a site, and mail to others does not wait', async () => {
  const [slow, other] = [domainAt('127.0.0.4'), domainAt('127.0.0.3')];
  let open = 0;
  let most = 0;
  c.fault = (moment) => {
    if (moment === 'CONNECT') {
      open += 1;
      most = Math.max(most, open);
    }
    return moment === 'DOT' ? (socket) => void setTimeout(() => socket.write('250 OK\r\n'), 300) : undefined;
  };
  const ids = await Promise.all(Array.from({ length: 30 }, () => t.accept({ to: [`jane@${slow}`] })));
  t.announce(ids);
  await t.until(await t.accept({ to: [`joe@${other}`] }), 'sent');
  expect(c.messages.length).toBeLessThan(30);
  for (const id of ids) await t.until(id, 'sent');
  expect(c.messages).toHaveLength(30);
  expect(most).toBeLessThanOrEqual(10);
});

test('tries a repeated attempt only for the recipients that have none yet', async () => {
  const [one, two] = [domainAt('127.0.0.2'), domainAt('127.0.0.3')];
  b.fault = first('RCPT', say('451 4.3.0 Try again'));
  const id = await t.accept({ to: [`jane@${one}`, `joe@${two}`] });
  await t.until(id, 'sent');
  expect([a.messages.length, b.messages.length]).toEqual([1, 1]);
});

test('hosts with the same preference share the mail evenly, and one with a higher number gets none', async () => {
  const domain = 'many.example';
  const hosts = EQUAL_HOSTS.map((address, index) => ({
    ...{ host: `mx${index}.${domain}`, address, priority: index < 3 ? 10 : 20 },
  }));
  dns.mx(domain, ...hosts);
  for (const { host, address } of hosts) dns.addresses(host, address);
  const ids = await Promise.all(Array.from({ length: 90 }, () => t.accept({ to: [`jane@${domain}`] })));
  t.announce(ids);
  for (const id of ids) await t.until(id, 'sent');
  const [one = 0, two = 0, three = 0, last] = sites.servers.slice(3).map(({ messages }) => messages.length);
  expect(Math.min(one, two, three)).toBeGreaterThan(12);
  expect(last).toBe(0);
});
