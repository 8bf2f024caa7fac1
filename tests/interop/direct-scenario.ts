import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { expectThat } from '../rig/failures.js';
import type { Rig } from '../rig/open-rig.js';
import type { Scenario, ScenarioOutcome } from '../rig/scenario.js';
import { untilArrived } from './mail-server-scenario.js';
import { type MailServer, SERVER_LIMITS } from './servers/mail-server.js';
import type { ForwardingPorts, RunningMailServer } from './start-mail-server.js';

const DOMAINS = 20;
const SITES = 3;
const EMAILS = 100;

/**
 * Sends straight to a real server, which is the mail server of 20 domains. They are three sites, because their MX hosts
 * have different names. The server forwards what it takes to the rig's mail server, so the oracles see each copy.
 */
export function directScenario(
  { packageName, requiresTlsAndLogin, limitsConnections }: MailServer,
  start: (ports: ForwardingPorts) => Promise<RunningMailServer>,
): Scenario {
  let dns: DnsServer;
  return {
    id: `mx-${packageName}`,
    fault: 'direct delivery to a real mail server with low limits',
    options: {
      inbounds: 1,
      async env([sinkPort = 0], [bouncePort = 0]) {
        const { port } = await start({ sinkPort, bouncePort });
        dns = await startDnsServer();
        publish(dns);
        const mx = { MX_PORT: String(port), MX_ALLOWED_NETWORKS: '127.0.0.0/8', DNS_SERVERS: dns.address };
        return { SMTP_URL: 'mx:', RETRY_SCHEDULE: '1,2,4,4,4,4,4,4', WORKER_CONCURRENCY: '20', ...mx };
      },
    },
    async run(rig) {
      try {
        return await deliver(rig, { usesTls: requiresTlsAndLogin, limitsConnections });
      } finally {
        await dns.close();
      }
    },
  };
}

function publish(dns: DnsServer): void {
  for (let domain = 0; domain < DOMAINS; domain += 1)
    dns.mx(`d${domain}.test`, { priority: 10, host: `mx${domain % SITES}.mail.test` });
  for (let site = 0; site < SITES; site += 1) dns.addresses(`mx${site}.mail.test`, '127.0.0.1');
}

async function deliver(
  rig: Rig,
  { usesTls, limitsConnections }: { usesTls: boolean; limitsConnections: boolean },
): Promise<ScenarioOutcome> {
  let left = EMAILS;
  await rig.client.load(20, () => {
    left -= 1;
    return left < 0 ? null : rig.requestTo('ok', { to: [`ok-${left}@d${left % DOMAINS}.test`] });
  });
  // One email to all domains: one envelope for each site, of as many recipients as the server takes.
  const to = Array.from({ length: DOMAINS }, (_, domain) => `ok-all@d${domain}.test`);
  await rig.client.send(rig.requestTo('ok', { to }));
  await untilArrived(rig);
  const copies = rig.handoffs().flatMap((handoff) => handoff.to);
  const { rows } = await rig.ctx.db.raw(`
    select count(*)::int as attempts,
      count(*) filter (where 'C: STARTTLS' = any(conversation))::int as encrypted,
      count(*) filter (where exists (select from unnest(conversation) as line where line ~* 'greylist'))::int as greylisted,
      count(*) filter (where exists (select from unnest(conversation) as line where line ~ '^S: 421'))::int as refused
    from delivery_attempts`);
  const [{ attempts, encrypted, greylisted, refused }] = rows;
  const wanted = EMAILS + DOMAINS;
  return {
    figures: `${copies.length} of ${wanted} recipients, ${attempts} attempts, ${encrypted} with STARTTLS in them, ${greylisted} greylisted, ${refused} answered 421${limitsConnections ? `; the server takes ${SERVER_LIMITS.connections} connections` : ''}`,
    failures: [
      ...expectThat(
        new Set(copies).size === wanted,
        `${new Set(copies).size} of ${wanted} recipients have the message`,
      ),
      ...expectThat(copies.length === wanted, `${wanted} recipients have ${copies.length} copies`),
      ...expectThat(!usesTls || encrypted > 0, 'no attempt used STARTTLS'),
    ],
  };
}
