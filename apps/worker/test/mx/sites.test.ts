import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { explainEmail } from '@posthorn/domain/emails';
import { addRelay, addRoute } from '@posthorn/domain/relays';
import { always, drip, type Fault, first, type Moment, say, sayAndCut } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from '../open-test-worker.js';
import { openSites, type SiteServer, type Sites } from './open-sites.js';

/** A server at D fails without a reply, and so comes last for a while. */
const [A, B, C, D, SIX] = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5', '::1'] as const;
const SLOW_SECONDS = 3;

let sites: Sites;
let t: TestWorker;
let a: SiteServer;
let b: SiteServer;
let c: SiteServer;
let d: SiteServer;
let six: SiteServer;

beforeAll(async () => {
  sites = await openSites(A, B, C, D, SIX);
  [a, b, c, d, six] = sites.servers as [SiteServer, SiteServer, SiteServer, SiteServer, SiteServer];
  t = await openTestWorker({
    started: false,
    config: {
      smtpUrls: ['mx:'],
      mxPort: sites.port,
      // Our own address must be allowed by itself.
      mxAllowedNetworks: ['127.0.0.0/8', '::1/128'],
      dnsServers: [sites.dns.address],
      retryScheduleSeconds: [SLOW_SECONDS, SLOW_SECONDS, SLOW_SECONDS],
      smtpTimeouts: { greetingSeconds: 1, replySeconds: 1, finalReplySeconds: 5, transactionSeconds: 30 },
    },
  });
  const source = { ipv4: '127.0.0.1', ipv6: SIX };
  await addRelay(t.ctx, operator, { name: 'six', url: 'mx:', source });
  const any = { workspaceId: null, domain: null, recipientDomain: null, priority: null };
  const via = [{ relay: 'six', weight: 1 }];
  await addRoute(t.ctx, operator, { ...any, via, fallback: [], order: 1, tag: 'ip:six' });
  t.start();
});

afterAll(async () => {
  await t.close();
  await sites.close();
});

beforeEach(() => {
  sites.reset();
  // Sessions of an earlier test would count.
  for (const server of sites.servers) server.cutAll();
});

const explain = async (id: string) => explainEmail(await t.read(id), new Date());
const accept = (...domains: string[]) => t.accept({ to: domains.map((domain) => `jane@${domain}`) });
const countDeferrals = async (id: string) => (await t.ctx.db('deliveries').where({ email_id: id }).first())?.deferrals;
const readState = async (id: string) => (await t.ctx.db('deliveries').where({ email_id: id }).first())?.waits_for;

async function untilHeldBack(id: string, pattern: RegExp): Promise<void> {
  for (let tries = 0; tries < 250; tries += 1, await sleep(20)) if (pattern.test(String(await readState(id)))) return;
  throw new Error(`The email is not held back: ${JSON.stringify(await t.read(id))}`);
}

async function timeDelivery(domain: string): Promise<number> {
  const from = performance.now();
  await t.until(await accept(domain), 'sent');
  return performance.now() - from;
}

/** A domain whose mail server is that of another one. */
function sameSiteAs(domain: string, alias: string): string {
  sites.dns.mx(alias, { priority: 1, host: `mx1-${domain.replace('.example', '.tls.example')}` });
  return alias;
}

test.each<[Moment, string]>([
  ['MAIL', '421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume or user complaints'],
  ['CONNECT', '421 4.7.0 [TSS04] Messages temporarily deferred due to unexpected volume or user complaints'],
  ['RCPT', '421 4.7.28 Our system has detected an unusual rate of mail from your IP address'],
  ['DOT', '451 4.7.650 The mail server [192.0.2.40] has been temporarily rate limited due to IP reputation'],
])('at %s, "%s" slows down the site for everybody, and nobody else', async (moment, text) => {
  const [slow, other] = [sites.domainAt(A), sites.domainAt(B)];
  const alias = sameSiteAs(slow, `alias-of-${slow}`);
  a.fault = always(moment, sayAndCut(text));
  const id = await accept(slow);
  await t.until(id, 'deferred');
  expect(await explain(id)).toContain(`mx1-${slow.replace('.example', '.tls.example')}`);
  expect(await explain(id)).toContain(text.slice(0, 40));
  expect(await countDeferrals(id)).toBe(0);
  const another = await (await t.otherWorkspace()).accept({ to: [`joe@${alias}`] });
  await untilHeldBack(another, /^slow:/);
  const connections = a.connections();
  expect(await timeDelivery(other)).toBeLessThan(1_000);
  expect(a.connections()).toBe(connections);
  a.fault = () => undefined;
  await t.until(id, 'sent');
  await t.until(another, 'sent');
  // It ends by itself.
  expect(await timeDelivery(slow)).toBeLessThan(1_000);
});

test('too many connections means fewer of them, and no email is charged', async () => {
  const domain = sites.domainAt(A);
  let refused = 0;
  a.fault = (moment) => {
    if (moment === 'CONNECT' && a.open() > 2) {
      refused += 1;
      return sayAndCut('421 4.3.2 too many connections from 192.0.2.40');
    }
    return moment === 'DOT' ? (socket) => void setTimeout(() => socket.write('250 OK\r\n'), 50) : undefined;
  };
  const ids = await Promise.all(Array.from({ length: 20 }, () => accept(domain)));
  t.announce(ids);
  for (const id of ids)
    expect((await t.until(id, 'sent')).attempts.filter(({ outcome }) => outcome === 'deferred')).toEqual([]);
  expect(a.messages).toHaveLength(20);
  // Those that were opened together before the first refusal.
  expect(refused).toBeLessThanOrEqual(5);
});

test('too many connections at the first one is not charged either', async () => {
  const domain = sites.domainAt(A);
  a.fault = first('CONNECT', sayAndCut('421 4.3.2 too many connections from 192.0.2.40'));
  const id = await accept(domain);
  await t.until(id, 'deferred');
  expect(await countDeferrals(id)).toBe(0);
  await t.until(id, 'sent');
});

test.each(['450 4.2.1 this one mailbox gets mail too fast', '450 4.2.0 Recipient address rejected: Greylisted'])(
  '"%s" lets that recipient wait, charged, and nobody else',
  async (text) => {
    const domain = sites.domainAt(A);
    a.fault = (moment, to) => (moment === 'RCPT' && to.at(-1)?.startsWith('jane@') ? say(text) : undefined);
    const id = await t.accept({ to: [`jane@${domain}`, `joe@${domain}`] });
    const { recipients } = await t.until(id, 'deferred');
    expect(recipients.map(({ status }) => status)).toEqual(['deferred', 'sent']);
    expect(await countDeferrals(id)).toBe(1);
    const from = performance.now();
    await t.until(await t.accept({ to: [`joe@${domain}`] }), 'sent');
    expect(performance.now() - from).toBeLessThan(1_000);
    a.fault = () => undefined;
    await t.until(id, 'sent');
    expect(a.messages).toHaveLength(3);
  },
);

test('a delay that a reply names is kept to', async () => {
  const domain = sites.domainAt(A);
  a.fault = first('RCPT', say('451 4.7.1 Greylisting in action, please come back in 00:00:07'));
  const id = await accept(domain);
  const { attempts } = await t.until(id, 'sent');
  const [one, two] = attempts.map(({ startedAt, endedAt }) => [startedAt, endedAt]);
  expect(Number(two?.[0]) - Number(one?.[1])).toBeGreaterThanOrEqual(6_500);
});

describe('over IPv6', () => {
  function dualDomain(): string {
    const domain = sites.domainAt(A);
    sites.dns.addresses(`mx1-${domain.replace('.example', '.tls.example')}`, A, SIX);
    return domain;
  }
  const overSix = (domain: string) => t.accept({ to: [`jane@${domain}`], tags: [{ name: 'ip', value: 'six' }] });

  test('mail goes only with an IPv6 source', async () => {
    const domain = dualDomain();
    await t.until(await accept(domain), 'sent');
    await t.until(await overSix(domain), 'sent');
    expect([a.messages.length, six.messages.length]).toEqual([1, 1]);
  });

  test('a host with IPv6 addresses alone is deferred without such a source, and says so', async () => {
    const domain = sites.domainAt(SIX);
    const id = await accept(domain);
    await t.until(id, 'deferred');
    expect(await explain(id)).toContain('has only IPv6 addresses, and this relay has no IPv6 source');
  });

  test.each<[Moment, string]>([
    ['RCPT', '550 5.7.25 no PTR for 2001:db8::40'],
    [
      'DOT',
      '550 5.7.1 [2001:db8::40] Our system has detected that this message does not meet IPv6 sending guidelines regarding PTR records',
    ],
    ['CONNECT', '554 5.7.25 The IP address sending this message does not have a PTR record setup'],
    ['MAIL', '450 4.7.1 Client host rejected: cannot find your reverse hostname, [2001:db8::40]'],
  ])('a refusal at %s that is about our address means IPv4, in the same attempt: %s', async (moment, text) => {
    const domain = dualDomain();
    six.fault = always(moment, say(text));
    const { attempts } = await t.until(await overSix(domain), 'sent');
    expect(attempts).toMatchObject([{ outcome: 'sent' }]);
    const connections = six.connections();
    await t.until(await overSix(domain), 'sent');
    expect(a.messages).toHaveLength(2);
    expect(six.connections()).toBe(connections);
  });

  test('a refusal of both addresses is about us, and nobody is bounced', async () => {
    const domain = dualDomain();
    for (const server of [a, six]) server.fault = always('RCPT', say('550 5.7.25 no PTR'));
    const id = await overSix(domain);
    await t.until(id, 'deferred');
    expect(await countDeferrals(id)).toBe(0);
    for (const server of [a, six]) server.fault = () => undefined;
    await t.until(id, 'sent');
  });
});

test('the next server may take us if the first refuses us in its greeting', async () => {
  const domain = sites.domainAt(A, B);
  a.fault = always('CONNECT', sayAndCut('554 5.7.1 no SMTP service for you here'));
  expect((await t.until(await accept(domain), 'sent')).attempts).toHaveLength(1);
  expect(b.messages).toHaveLength(1);
});

test.each<Moment>(['EHLO', 'MAIL', 'RCPT', 'DATA'])(
  'a server that drips its reply to %s is left after the time of a command, and others do not wait',
  async (moment) => {
    const [slow, other] = [sites.domainAt(D), sites.domainAt(B)];
    d.fault = always(moment, drip);
    const ids = await Promise.all(Array.from({ length: 5 }, () => accept(slow)));
    t.announce(ids);
    expect(await timeDelivery(other)).toBeLessThan(1_000);
    for (const id of ids) await t.until(id, 'deferred');
    d.fault = () => undefined;
    for (const id of ids) await t.until(id, 'sent');
  },
);

test('hundreds of emails to a slow site do not delay an email to another one', async () => {
  const [slow, other] = [sites.domainAt(C), sites.domainAt(B)];
  let most = 0;
  const wait: Fault = (moment) => {
    most = Math.max(most, c.open());
    return moment === 'DOT' ? (socket) => void setTimeout(() => socket.write('250 OK\r\n'), 1_000) : undefined;
  };
  c.fault = wait;
  const ids = await Promise.all(Array.from({ length: 300 }, () => accept(slow)));
  t.announce(ids);
  const heldBack = t.ctx.db('deliveries').whereNotNull('waits_for');
  while ((await heldBack.clone()).length < 250) await sleep(20);
  for (let round = 0; round < 3; round += 1) expect(await timeDelivery(other)).toBeLessThan(1_000);
  expect(most).toBeLessThanOrEqual(10);
  c.fault = () => undefined;
  for (const id of ids) await t.until(id, 'sent');
  expect(c.messages).toHaveLength(300);
});

test('one domain of three on a site that is slowed down slows the site, whose reply is explained', async () => {
  const one = sites.domainAt(A);
  const [two, three] = [sameSiteAs(one, `two-of-${one}`), sameSiteAs(one, `three-of-${one}`)];
  a.fault = (moment, to) =>
    moment === 'RCPT' && to.at(-1)?.endsWith(`@${two}`)
      ? sayAndCut('421 4.7.0 Too many messages, slow down')
      : undefined;
  const id = await accept(two);
  await t.until(id, 'deferred');
  expect(await explain(id)).toContain('answered 421 4.7.0 Too many messages, slow down');
  const held = [await accept(one), await accept(three)];
  for (const each of held) await untilHeldBack(each, /^slow:/);
  a.fault = () => undefined;
  for (const each of [id, ...held]) await t.until(each, 'sent');
});

test('a recipient that does not exist is final, and the next server is not asked', async () => {
  const domain = sites.domainAt(A, B);
  a.fault = always('RCPT', say('550 5.1.1 No such user'));
  const id = await accept(domain);
  const { recipients } = await t.until(id, 'bounced');
  expect(recipients).toMatchObject([{ smtpCode: 550, bounceClass: 'bad_mailbox' }]);
  expect(b.commands).toEqual([]);
});

test('one host that is named twice, with a dot and in capitals, is tried once', async () => {
  const domain = 'case.example';
  sites.dns.mx(domain, { priority: 10, host: 'MX.Case.Example.' }, { priority: 20, host: 'mx.case.example' });
  sites.dns.addresses('mx.case.example', A);
  a.fault = always('CONNECT', sayAndCut('421 4.3.2 Busy'));
  const before = a.connections();
  await t.until(await accept(domain), 'deferred');
  expect(a.connections() - before).toBe(1);
});

test('aliases are followed at the domain and at its host, and the recipient keeps its domain', async () => {
  sites.dns.cname('alias.example', 'real.example');
  sites.dns.mx('real.example', { priority: 10, host: 'mail.real.example' });
  sites.dns.cname('mail.real.example', 'mx.host.example');
  sites.dns.addresses('mx.host.example', A);
  await t.until(await accept('alias.example'), 'sent');
  expect(a.messages.map(({ to }) => to)).toEqual([['jane@alias.example']]);
});

test.each<[string, () => void]>([
  ['was closed', () => a.cutAll()],
  ['answers 421', () => Object.assign(a, { fault: first('MAIL', sayAndCut('421 4.4.2 Idle for too long')) })],
])('a kept connection that %s means a new one at once', async (_, end) => {
  const domain = sites.domainAt(A);
  await t.until(await accept(domain), 'sent');
  end();
  const { attempts } = await t.until(await accept(domain), 'sent');
  expect(attempts).toMatchObject([{ attempt: 1, outcome: 'sent' }]);
  expect(a.messages).toHaveLength(2);
});
