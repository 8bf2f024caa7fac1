import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { toBounceHost } from '@posthorn/domain/domains';
import { isServerName, type Relay, readRelays } from '@posthorn/domain/relays';
import { createDns } from '@posthorn/platform/network';
import { MINUTE_MS } from '@posthorn/platform/values';
import type { CliContext } from '../command-line/context.js';
import { type Check, type CheckOutcome, failed, ok, skipped, warning } from './check.js';

type DoctorContext = Pick<CliContext, 'config' | 'db' | 'now'>;

/** A relay that has refused us within this time is probably still doing so. */
const TROUBLE_MS = 10 * MINUTE_MS;
const TIMEOUT_MS = 8_000;
const SMTP_PORT = 25;

/** Checks of the ways out. What each worker sees of a relay is in its metrics. */
export async function buildWayOutChecks(ctx: DoctorContext): Promise<Check[]> {
  const relays = await readRelays(ctx.db).catch(() => []);
  const direct = relays.filter(({ address }) => address === 'mx');
  return [
    ...relays.map((relay) => ({ name: `relay ${relay.name} state`, run: async () => evaluateState(relay, ctx.now()) })),
    ...direct.flatMap((relay) => buildDirectChecks(ctx, relay)),
    ...(direct.length > 0 ? [{ name: 'port 25 out', run: () => checkPort25(ctx) }] : []),
    { name: 'policy of the bounce host', run: () => checkBounceHostPolicy(ctx) },
  ];
}

export function evaluateState({ name, isPaused, trouble }: Relay, now: Date): CheckOutcome {
  const minutes = trouble === null ? null : Math.floor((now.getTime() - trouble.at.getTime()) / MINUTE_MS);
  if (trouble !== null && now.getTime() - trouble.at.getTime() < TROUBLE_MS)
    return failed(
      `It refused us or failed ${minutes} minutes ago: ${trouble.why}`,
      `Do what the reply says. The other relays of its routes have the mail meanwhile. posthorn relay show ${name} has more.`,
    );
  if (isPaused) return warning('It is paused', `Run: posthorn relay resume ${name}`);
  return ok(
    isServerName(name)
      ? 'It is in SMTP_URL, and no worker has had trouble with it'
      : 'No worker has had trouble with it',
  );
}

/** What receiving servers ask of a server that sends to them directly. */
function buildDirectChecks(ctx: DoctorContext, { name, source, ehlo }: Relay): Check[] {
  const addresses = [source.ipv4, source.ipv6].filter((address) => address !== null);
  const greeting = ehlo ?? hostname();
  if (addresses.length === 0) {
    const run = async () =>
      warning(
        'It has no --source, so its PTR record cannot be checked',
        `Run: posthorn relay update ${name} --source IPV4`,
      );
    return [{ name: `relay ${name} source`, run }];
  }
  return addresses.flatMap((address) => [
    { name: `relay ${name} PTR of ${address}`, run: () => checkPtr(ctx, address, greeting) },
    ...ctx.config.dnsBlocklists.map((zone) => ({
      name: `relay ${name} ${address} at ${zone}`,
      run: () => checkBlocklist(ctx, address, zone),
    })),
  ]);
}

/** The name of the address must lead back to it, and should be the one that we greet with (RFC 1912, 2.1). */
async function checkPtr({ config }: DoctorContext, address: string, greeting: string): Promise<CheckOutcome> {
  const fix = `Ask who gave you the address for a PTR record with ${greeting}, and give that name an address record.`;
  const names = await withResolver(config, (resolver) => resolver.reverse(address)).catch(() => []);
  if (names.length === 0) return failed(`${address} has no PTR record, so many servers refuse its mail`, fix);
  const matches = await Promise.all(
    names.map(async (name) => {
      const dns = createDns(config);
      const found = await dns.addresses(name).finally(() => dns.close());
      return 'values' in found && found.values.includes(address);
    }),
  );
  if (!matches.includes(true)) return failed(`${names.join(', ')} does not lead back to ${address}`, fix);
  if (!names.some((name) => name.toLowerCase() === greeting.toLowerCase()))
    return warning(`The PTR record is ${names.join(', ')}, but we greet as ${greeting}`, fix);
  return ok(`${names.join(', ')} leads back to ${address}, and we greet with it`);
}

async function withResolver<Result>(
  { dnsServers }: DoctorContext['config'],
  ask: (resolver: Resolver) => Promise<Result>,
): Promise<Result> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (dnsServers.length > 0) resolver.setServers([...dnsServers]);
  try {
    return await ask(resolver);
  } finally {
    resolver.cancel();
  }
}

/** Asks a list as receiving servers do (RFC 5782). */
async function checkBlocklist({ config }: DoctorContext, address: string, zone: string): Promise<CheckOutcome> {
  if (address.includes(':')) return skipped('Only IPv4 addresses are looked up');
  const name = `${address.split('.').toReversed().join('.')}.${zone}`;
  const dns = createDns(config);
  const found = await dns.addresses(name).finally(() => dns.close());
  if ('failure' in found) return skipped(`${zone}: ${found.failure}`);
  // 127.255.255.0/24 says that the list does not answer this resolver.
  const listed = found.values.filter((value) => /^127\.(?!255\.255\.)/.test(value));
  if (listed.length === 0) return ok(`${address} is not listed`);
  return failed(
    `${address} is listed (${listed.join(', ')})`,
    `Look the address up at the site of ${zone}, and remove the cause.`,
  );
}

/** Large providers whose servers anybody can connect to. */
const REACHABLE = ['gmail.com', 'outlook.com'];

async function checkPort25({ config }: DoctorContext): Promise<CheckOutcome> {
  const dns = createDns(config);
  const answers = await Promise.all(REACHABLE.map((domain) => dns.mx(domain))).finally(() => dns.close());
  const hosts = answers.flatMap((answer) => ('values' in answer ? answer.values.slice(0, 1) : [])).map(toExchange);
  if (hosts.length === 0) return skipped(`The mail servers of ${REACHABLE.join(' and ')} were not found in DNS`);
  const reached = await Promise.all(hosts.map(canConnect));
  if (reached.includes(true)) return ok(`${hosts[reached.indexOf(true)]} can be reached`);
  return failed(
    `No connection to ${hosts.join(' or ')} on port ${SMTP_PORT}`,
    'Ask your hosting provider to open port 25 for outgoing connections, or send by a relay instead of mx:.',
  );
}

/** `10 mx.example.com` */
function toExchange(value: string): string {
  return value.slice(value.indexOf(' ') + 1);
}

function canConnect(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: SMTP_PORT, timeout: TIMEOUT_MS });
    const end = (isConnected: boolean) => {
      socket.destroy();
      resolve(isConnected);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

/** RFC 8461 and RFC 8460, for the mail that we receive: bounces. */
async function checkBounceHostPolicy({ config }: DoctorContext): Promise<CheckOutcome> {
  const host = toBounceHost(config.platformSenderDomain);
  const dns = createDns(config);
  const [policy, reports] = await Promise.all([dns.txt(`_mta-sts.${host}`), dns.txt(`_smtp._tls.${host}`)]).finally(
    () => dns.close(),
  );
  const hasPolicy = 'values' in policy && policy.values.some((value) => value.startsWith('v=STSv1'));
  const hasReports = 'values' in reports && reports.values.some((value) => value.startsWith('v=TLSRPTv1'));
  if (!(hasPolicy || hasReports))
    return skipped(`${host} has neither an MTA-STS nor a TLS-RPT record, which are optional`);
  if (hasPolicy && hasReports) return ok(`${host} has an MTA-STS and a TLS-RPT record`);
  const missing = hasPolicy ? `_smtp._tls.${host} (v=TLSRPTv1; rua=mailto:...)` : `_mta-sts.${host} (v=STSv1; id=...)`;
  return warning(`${host} has only one of the two records`, `Add a TXT record ${missing}.`);
}
