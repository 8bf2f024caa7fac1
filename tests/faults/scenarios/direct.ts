import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { addRelay, addRoute } from '@posthorn/domain/relays';
import { type DnsServer, type Moment, startDnsServer, until } from '@posthorn/testing';
import { expectThat, type Failure } from '../../rig/failures.js';
import type { Rig, RigOptions } from '../../rig/open-rig.js';
import type { Scenario, ScenarioOutcome } from '../../rig/scenario.js';
import { timeSingleEmail, untilSettled } from '../../rig/until.js';

const SITES = ['rig.test', 'one.test', 'two.test', 'three.test'];

/** Each domain has an MX host of its own, and so is a site. All of them lead to the mail server of the rig. */
function publish(dns: DnsServer, address = '127.0.0.1'): void {
  dns.heal();
  for (const domain of SITES) {
    dns.mx(domain, { priority: 10, host: `mx.${domain}` });
    dns.addresses(`mx.${domain}`, address);
  }
  dns.setTtl(1);
}

/** A scenario in which mail goes straight to the recipients' mail servers. */
function direct(
  { options, ...scenario }: Omit<Scenario, 'run'>,
  run: (rig: Rig, dns: DnsServer, scale: number) => Promise<ScenarioOutcome>,
): Scenario {
  let dns: DnsServer;
  const env: RigOptions['env'] = async ([port]) => {
    dns = await startDnsServer();
    dns.setTtl(1);
    publish(dns);
    const networks = { MX_PORT: String(port), MX_ALLOWED_NETWORKS: '127.0.0.0/8' };
    return { SMTP_URL: 'mx:', DNS_SERVERS: dns.address, ...networks };
  };
  return {
    ...scenario,
    options: { ...options, env },
    async run(rig, scale) {
      try {
        const outcome = await run(rig, dns, scale);
        await untilSettled(rig);
        return outcome;
      } finally {
        await dns.close();
      }
    },
  };
}

async function countStatuses({ ctx }: Rig): Promise<Readonly<Record<string, number>>> {
  const { rows } = await ctx.db.raw('select status, count(*)::int as n from email_recipients group by 1');
  return Object.fromEntries(rows.map(({ status, n }: { status: string; n: number }) => [status, n]));
}

async function expectAllSent(rig: Rig, what: string): Promise<Failure[]> {
  const { sent = 0, ...others } = await countStatuses(rig);
  return expectThat(sent > 0 && Object.keys(others).length === 0, `${what}: ${sent} sent, ${JSON.stringify(others)}`);
}

const dnsFaults: Readonly<Record<string, (dns: DnsServer) => void>> = {
  'no answer': (dns) => dns.failAll('silence'),
  SERVFAIL: (dns) => dns.failAll('SERVFAIL'),
  REFUSED: (dns) => dns.failAll('REFUSED'),
  'private addresses': (dns) => publish(dns, '10.0.0.5'),
};

const steps: readonly Moment[] = ['CONNECT', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'DOT'];

/** An email to three sites, of which two answer late. @returns its recipients */
function toThree(number: number): string[] {
  return [`ok-${number}@one.test`, `late.1500-${number}@two.test`, `late.1500-${number}@three.test`];
}

/** The replies of the last two are on their way when the worker dies. */
async function killInTheMiddle(rig: Rig, rounds: number): Promise<ScenarioOutcome> {
  for (let round = 0; round < rounds; round += 1) {
    const before = rig.smtp.handoffs.length;
    await rig.client.send(rig.requestTo('ok', { to: toThree(round) }));
    await until('all three sites have the message', () => rig.smtp.handoffs.length >= before + 3);
    await sleep(rig.random.between(200, 900));
    await rig.workers[0]?.kill();
    await untilSettled(rig);
  }
  const copies = new Map<string, number>();
  for (const { to } of rig.smtp.handoffs) for (const address of to) copies.set(address, (copies.get(address) ?? 0) + 1);
  const known = [...copies].filter(([address, count]) => address.startsWith('ok-') && count > 1);
  const most = Math.max(...copies.values());
  return {
    figures: `${rounds} kills, at most ${most} copies, ${known.length} of a recipient whose result was known`,
    failures: [
      ...expectThat(known.length === 0, `${known.length} recipients got a second copy although theirs was known`),
      ...expectThat(most <= 2, `a recipient has ${most} copies`),
      ...(await expectAllSent(rig, 'after the kills')),
    ],
  };
}

/** The server takes 300 ms for each message, so more than one session would show in its journal. */
function findShortestGap(rig: Rig): number {
  const times = rig.smtp.handoffs.map(({ at }) => at).toSorted((a, b) => a - b);
  return Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
}

/** Sends all mail by a relay of which all workers together may have one session with each site. */
async function limitToOne({ ctx }: Rig): Promise<void> {
  await addRelay(ctx, operator, { name: 'direct', url: 'mx:', connections: 1 });
  const everything = { workspaceId: null, domain: null, recipientDomain: null, tag: null, priority: null };
  await addRoute(ctx, operator, { ...everything, via: [{ relay: 'direct', weight: 1 }], fallback: [], order: 1 });
  // Longer than a worker may take to follow a change of routes.
  await sleep(3_000);
}

export const directScenarios: readonly Scenario[] = [
  direct(
    { id: 'F49', fault: 'direct delivery: DNS does not answer, fails or gives private addresses for a while' },
    async (rig, dns) => {
      for (const [name, begin] of Object.entries(dnsFaults)) {
        begin(dns);
        await sleep(1_100);
        await rig.sendMany(10);
        await sleep(1_500);
        publish(dns);
        await until(`mail goes on after ${name}`, async () => (await timeSingleEmail(rig, rig.tenant)) > 0);
      }
      await untilSettled(rig);
      return { figures: Object.keys(dnsFaults).join(', '), failures: await expectAllSent(rig, 'DNS') };
    },
  ),
  direct({ id: 'F50', fault: 'direct delivery: the mail server answers 421 at each step' }, async (rig) => {
    for (const moment of steps) {
      await rig.smtp.dropConnections();
      await rig.smtp.overrideReplies({ moment, how: 'sayAndCut', reply: '421 4.3.2 Closing', times: 3 });
      await rig.sendMany(10);
      await untilSettled(rig);
      await rig.smtp.restore();
    }
    const copies = rig.smtp.handoffs.length;
    return {
      figures: `${steps.join(', ')}; ${copies} messages`,
      failures: [
        ...expectThat(copies === 10 * steps.length, `${10 * steps.length} emails were handed over ${copies} times`),
        ...(await expectAllSent(rig, '421')),
      ],
    };
  }),
  direct(
    {
      id: 'F51',
      fault: 'direct delivery: two workers share a limit of one connection to a site',
      options: { workers: 2 },
    },
    async (rig, _, scale) => {
      await limitToOne(rig);
      await rig.sendMany(Math.ceil(20 * scale), { behaviour: 'late.300' });
      await untilSettled(rig);
      const gap = findShortestGap(rig);
      return {
        figures: `${rig.smtp.handoffs.length} messages, at least ${gap} ms apart`,
        failures: [
          ...expectThat(gap >= 250, `two messages came ${gap} ms apart`),
          ...(await expectAllSent(rig, 'limit')),
        ],
      };
    },
  ),
  direct(
    {
      id: 'F52',
      fault: 'direct delivery: kill -9 of the worker while two of three sites have not replied yet',
      maxSecondCopies: (scale) => 2 * Math.ceil(10 * scale),
    },
    (rig, _, scale) => killInTheMiddle(rig, Math.ceil(10 * scale)),
  ),
  direct(
    {
      id: 'F53',
      fault: 'direct delivery: Redis is away while two workers share the limits of a site',
      options: { workers: 2 },
    },
    async (rig, _, scale) => {
      await limitToOne(rig);
      rig.servers.proxies.redis.cut();
      await rig.sendMany(Math.ceil(20 * scale), { behaviour: 'late.300' });
      await sleep(3_000);
      rig.servers.proxies.redis.restore();
      await untilSettled(rig);
      return {
        figures: `${rig.smtp.handoffs.length} messages, at least ${findShortestGap(rig)} ms apart`,
        failures: await expectAllSent(rig, 'Redis'),
      };
    },
  ),
];
