import { checkPlatformDomain } from '@posthorn/domain/doctor';
import { toBounceHost } from '@posthorn/domain/domains';
import { createDns } from '@posthorn/platform/network';
import type { CliContext } from '../command-line/context.js';
import { describeReason } from '../command-line/errors.js';
import { type Check, type CheckOutcome, failed, ok, skipped } from './check.js';
import { greetServer } from './greet-server.js';

/** Mail arrives only there (RFC 5321, 4.5.4.2). */
const SMTP_PORT = 25;
const TIMEOUT_MS = 8_000;
/** Names that are never in the public DNS (RFC 6761). */
const LOCAL = /(^|\.)(localhost|test|invalid|example)$/;

export function buildDnsChecks(ctx: Pick<CliContext, 'config' | 'db' | 'now'>): Check[] {
  const { platformSenderDomain: domain } = ctx.config;
  const ifPublic = (run: () => Promise<CheckOutcome>) =>
    LOCAL.test(domain) ? async () => skipped(`${domain} is not a public domain`) : run;
  return [
    { name: 'dns', run: () => checkResolvers(ctx) },
    { name: 'platform domain', run: ifPublic(() => checkRecords(ctx)) },
    { name: 'bounce listener', run: ifPublic(() => checkBounceHost(ctx)) },
  ];
}

/** Any answer will do, even that the name does not exist. */
async function checkResolvers({ config }: Pick<CliContext, 'config'>): Promise<CheckOutcome> {
  const dns = createDns(config);
  const resolvers = config.dnsServers.length > 0 ? config.dnsServers.join(', ') : 'The resolvers of this machine';
  try {
    const answer = await dns.txt(config.platformSenderDomain);
    if ('failure' in answer) return failed(answer.failure, 'Set DNS_SERVERS to resolvers that this machine can reach.');
    return ok(`${resolvers} answered`);
  } finally {
    dns.close();
  }
}

async function checkRecords(ctx: Pick<CliContext, 'config' | 'db' | 'now'>): Promise<CheckOutcome> {
  const records = await checkPlatformDomain(ctx);
  const wrong = records.filter(({ isRequired, finding }) => isRequired && finding.status !== 'verified');
  if (wrong.length === 0) return ok(`All required records of ${ctx.config.platformSenderDomain} are there`);
  const texts = wrong.map(({ type, name, finding }) => `${type} ${name}: ${finding.failure ?? finding.message}`);
  return failed(texts.join(' '), 'Run: posthorn domain platform');
}

async function checkBounceHost({ config }: Pick<CliContext, 'config'>): Promise<CheckOutcome> {
  const host = toBounceHost(config.platformSenderDomain);
  const dns = createDns(config);
  const found = await dns.addresses(host).finally(() => dns.close());
  if ('failure' in found) return skipped(`${host}: ${found.failure}`);
  const [address] = found.values;
  if (address === undefined)
    return failed(`${host} has no address, so no bounces arrive`, 'Add an A record with the address of the listener.');
  try {
    const { greeting } = await greetServer(
      { host: address, port: SMTP_PORT, isTls: false },
      AbortSignal.timeout(TIMEOUT_MS),
    );
    if (greeting.includes('Posthorn')) return ok(`${host} answers`);
    return failed(`${host} is another mail server: ${greeting}`, 'Let port 25 of that name lead to INBOUND_PORT.');
  } catch (error) {
    return failed(
      `${host} (${address}) cannot be reached on port 25: ${describeReason(error)}`,
      'Start the bounce listener there, and open port 25. Some networks block outgoing connections to it.',
    );
  }
}
