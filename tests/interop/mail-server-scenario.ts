import { until } from '@posthorn/testing';
import { expectThat, type Failure } from '../rig/failures.js';
import type { Rig } from '../rig/open-rig.js';
import type { Scenario, ScenarioOutcome } from '../rig/scenario.js';
import { untilSettled } from '../rig/until.js';
import { type MailServer, SERVER_LIMITS } from './servers/mail-server.js';
import type { ForwardingPorts, RunningMailServer } from './start-mail-server.js';

type Step = (rig: Rig, server: RunningMailServer) => Promise<ScenarioOutcome>;

/** Sends mail through a real server, which forwards it to the rig's mail server, so the oracles see all of it. */
export function mailServerScenario(
  { packageName, requiresTlsAndLogin, limitsConnections, asksForLogins, reportsReplies }: MailServer,
  start: (ports: ForwardingPorts) => Promise<RunningMailServer>,
): Scenario {
  let server: RunningMailServer;
  const steps: Step[] = [
    ...(requiresTlsAndLogin ? [deliverOverTls] : []),
    exceedSize,
    exceedRecipients,
    ...(limitsConnections ? [exceedConnections] : [deliverMany]),
    ...(asksForLogins ? [refuseLogins] : []),
    (rig) => refuseLater(rig, reportsReplies),
  ];
  return {
    id: packageName,
    fault: 'a real mail server with low limits',
    options: {
      inbounds: 1,
      async env([sinkPort = 0], [bouncePort = 0]) {
        server = await start({ sinkPort, bouncePort });
        return { SMTP_URL: server.url, ...server.env };
      },
    },
    async run(rig) {
      const failures: Failure[] = [];
      const figures: string[] = [];
      for (const step of steps) {
        const outcome = await step(rig, server);
        failures.push(...(outcome.failures ?? []));
        figures.push(outcome.figures ?? '');
      }
      return { failures, figures: figures.join('; ') };
    },
  };
}

/** Waits until the server has forwarded everything that it took. */
export async function untilArrived(rig: Rig): Promise<void> {
  await untilSettled(rig);
  await until('everything that the server took has arrived', async () => {
    const { rows } = await rig.ctx.db.raw("select count(*)::int as sent from email_recipients where status = 'sent'");
    return rows[0].sent === rig.handoffs().reduce((sum, { to }) => sum + to.length, 0);
  });
}

async function chargedAttempts({ ctx }: Rig): Promise<number> {
  const { rows } = await ctx.db.raw(
    "select count(*)::int as charged from delivery_attempts where outcome in ('deferred', 'partial') and route is not null",
  );
  return rows[0].charged;
}

function hasLogged({ workers }: Rig, code: string): boolean {
  const lines = workers.flatMap((worker) => worker.lines);
  return lines.some((line) => line.includes('"relay_failed"') && line.includes(`"code":"${code}"`));
}

const deliverOverTls: Step = async (rig) => {
  await rig.sendMany(10);
  await untilArrived(rig);
  const { rows } = await rig.ctx.db.raw(`
    select count(*)::int as found from delivery_attempts
    where 'C: STARTTLS' = any(conversation) and 'C: AUTH (credentials)' = any(conversation)`);
  return {
    figures: 'STARTTLS and login',
    failures: expectThat(rows[0].found > 0, 'no attempt used STARTTLS and a login'),
  };
};

const exceedSize: Step = async (rig) => {
  const text = 'x'.repeat(2 * SERVER_LIMITS.messageBytes);
  await rig.client.send(rig.requestTo('reject', { extra: { text } }));
  await untilSettled(rig);
  const { rows } = await rig.ctx.db.raw("select smtp_code, status from email_recipients where address ~ '^reject'");
  const [{ smtp_code, status }] = rows;
  const found = `a message over the size limit ended as ${status} with ${smtp_code}`;
  return { figures: found, failures: expectThat(status === 'bounced' && smtp_code === 552, found) };
};

const exceedRecipients: Step = async (rig) => {
  const count = 2 * SERVER_LIMITS.recipients + 2;
  const to = Array.from({ length: count }, (_, index) => `ok-many-${index}@rig.test`);
  const response = await rig.client.send(rig.requestTo('ok', { to }));
  await untilArrived(rig);
  const { id } = JSON.parse(response.body) as { id: string };
  // A server may refuse a connection because it still counts one that has just ended. That attempt is not charged.
  const { rows } = await rig.ctx.db.raw(
    "select outcome from delivery_attempts where email_id = ? and outcome <> 'route_fault' order by attempt",
    [id],
  );
  const outcomes = rows.map(({ outcome }: { outcome: string }) => outcome).join(', ');
  return {
    figures: `an email to ${count} recipients took ${rows.length} attempts`,
    failures: expectThat(outcomes === 'partial, partial, sent', `the attempts of a large email ended as ${outcomes}`),
  };
};

const deliverMany: Step = async (rig) => {
  const before = await chargedAttempts(rig);
  await rig.sendMany(100, { inFlight: 30 });
  await untilArrived(rig);
  const charged = (await chargedAttempts(rig)) - before;
  return {
    figures: '100 emails at the same time',
    failures: expectThat(charged === 0, `${charged} attempts were charged to emails`),
  };
};

const exceedConnections: Step = async (rig, server) => {
  const { failures = [] } = await deliverMany(rig, server);
  return {
    figures: `100 emails at the same time over ${SERVER_LIMITS.connections} connections`,
    failures: [...failures, ...expectThat(hasLogged(rig, '421'), 'the server refused no connection')],
  };
};

const refuseLogins: Step = async (rig, server) => {
  const before = await chargedAttempts(rig);
  server.refuseLogins();
  // A restarted worker has no sessions that are already logged in.
  await rig.workers[0]?.kill();
  await rig.sendMany(5);
  await until('a login is refused', () => hasLogged(rig, '535'));
  server.allowLogins();
  await untilArrived(rig);
  const charged = (await chargedAttempts(rig)) - before;
  return {
    figures: 'mail waited while logins were refused',
    failures: expectThat(charged === 0, `${charged} attempts were charged while logins were refused`),
  };
};

/** Emails to two recipients, of whom one does not exist. Their bounces have to name that one. */
const SHARED = 10;

/**
 * The server takes mail for everybody, and learns only from the next one who does not exist. If its bounces do not say
 * why in a field, the addresses are not suppressed.
 */
async function refuseLater(rig: Rig, reportsReplies: boolean): Promise<ScenarioOutcome> {
  const { ctx } = rig;
  const before = await ctx.db('feedback_reports');
  await rig.sendMany(30, { behaviour: 'ok-later' });
  await rig.sendMany(30, { behaviour: 'reject-later' });
  for (let number = 0; number < SHARED; number += 1)
    await rig.client.send(
      rig.requestTo('ok-later', {
        to: [`ok-later-shared-${number}@rig.test`, `reject-later-shared-${number}@rig.test`],
      }),
    );
  await untilSettled(rig);
  const readStatuses = async (prefix: string) => {
    const found = await ctx.db('email_recipients').where('address', 'like', `${prefix}-later%`);
    return found.map(({ status, bounce_class: name }) => (name === null ? status : `${status} ${name}`));
  };
  await until('every bounce has arrived', async () => {
    const statuses = await readStatuses('reject');
    return statuses.length === 30 + SHARED && statuses.every((status) => status.startsWith('bounced'));
  });
  const [kept, refused] = [await readStatuses('ok'), await readStatuses('reject')];
  const wrong = [
    ...kept.filter((status) => status !== 'sent'),
    ...refused.filter((status) => status !== (reportsReplies ? 'bounced bad_mailbox' : 'bounced unknown')),
  ];
  const suppressed = await ctx.db('suppressions').where('address', 'like', 'reject-later%');
  const reports = (await ctx.db('feedback_reports')).length - before.length;
  return {
    figures: `${reports} bounces for ${refused.length} refused recipients, and none for ${kept.length} others`,
    failures: [
      ...expectThat(wrong.length === 0, `${wrong.length} recipients have the wrong state, such as ${wrong[0]}`),
      ...expectThat(
        suppressed.length === (reportsReplies ? refused.length : 0),
        `${suppressed.length} of ${refused.length} addresses are suppressed`,
      ),
    ],
  };
}
