import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { createTestWorkspace, getPercentile, until } from '@posthorn/testing';
import { expectInTime, expectThat, type Failure } from '../../rig/failures.js';
import type { FaultySmtp, ReplyOverride } from '../../rig/faulty-smtp.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { timeSingleEmail, untilSettled } from '../../rig/until.js';

const EMAILS = 5;

/** More than fits into the socket buffers, so that the connection can break in the middle of the message. */
const LARGE_TEXT = `${'\u00e9'.repeat(60)}\r\n`.repeat(15_000);
const LARGE = { text: LARGE_TEXT, html: LARGE_TEXT };

/** A way in which the first relay fails, so that the second has to take the mail. */
type Mode = {
  readonly name: string;
  readonly begin: (first: FaultySmtp) => Promise<void>;
  readonly extra?: object;
};

const reply = (name: string, override: ReplyOverride): Mode => ({
  name,
  async begin(first) {
    // A session that is already open would not see the greeting.
    await first.dropConnections();
    await first.overrideReplies(override);
  },
});

const modes: readonly Mode[] = [
  { name: 'connections refused', begin: (first) => first.dropConnections() },
  reply('421 as greeting', { moment: 'CONNECT', how: 'sayAndCut', reply: '421 4.3.2 Busy' }),
  reply('554 as greeting', { moment: 'CONNECT', how: 'sayAndCut', reply: '554 5.3.2 No service' }),
  reply('connection cut at MAIL', { moment: 'MAIL', how: 'cut' }),
  reply('421 at MAIL', { moment: 'MAIL', how: 'sayAndCut', reply: '421 4.3.2 Closing' }),
  reply('451 at MAIL', { moment: 'MAIL', how: 'say', reply: '451 4.3.0 Not now' }),
  reply('550 at MAIL', { moment: 'MAIL', how: 'say', reply: '550 5.7.1 Not from you' }),
  reply('451 at RCPT', { moment: 'RCPT', how: 'say', reply: '451 4.2.1 Not now' }),
  reply('451 at DATA', { moment: 'DATA', how: 'say', reply: '451 4.3.0 Not now' }),
  { ...reply('connection cut in the message', { moment: 'BODY', how: 'cut' }), extra: LARGE },
  reply('451 after the final dot', { moment: 'DOT', how: 'say', reply: '451 4.3.0 Not now' }),
  reply('421 after the final dot', { moment: 'DOT', how: 'sayAndCut', reply: '421 4.3.2 Closing' }),
];

type Counts = { readonly first: number; readonly second: number; readonly attempts: number };

/** How many messages each relay has, and how many attempts have a known outcome. */
async function count({ ctx, mailServers }: Rig): Promise<Counts> {
  const { rows } = await ctx.db.raw(
    "select count(*)::int as attempts from delivery_attempts where outcome <> 'ambiguous'",
  );
  const [first = 0, second = 0] = mailServers.map(({ handoffs }) => handoffs.length);
  return { first, second, attempts: rows[0].attempts };
}

/** Sends while the first relay fails. Every email must reach the second relay exactly once, in a single attempt. */
async function sendDuring(rig: Rig, { name, begin, extra }: Mode): Promise<Failure[]> {
  await begin(rig.smtp);
  const before = await count(rig);
  await rig.sendMany(EMAILS, { more: extra ? { extra } : {} });
  await untilSettled(rig);
  const after = await count(rig);
  await rig.smtp.restore();
  const [first, second] = [after.first - before.first, after.second - before.second];
  const attempts = after.attempts - before.attempts;
  return [
    ...expectThat(
      first === 0 && second === EMAILS,
      `${name}: of ${EMAILS} emails, the first relay has ${first} and the second ${second}`,
    ),
    ...expectThat(attempts === EMAILS, `${name}: ${EMAILS} emails took ${attempts} attempts`),
  ];
}

async function untilFirstIsUsed(rig: Rig): Promise<void> {
  const before = rig.smtp.handoffs.length;
  await until('the first relay is used again', async () => {
    await rig.sendMany(1);
    await sleep(100);
    return rig.smtp.handoffs.length > before;
  });
  await untilSettled(rig);
}

/** The first relay takes the messages and breaks the connection. The second must not get them. */
async function sendAmbiguously(rig: Rig): Promise<Failure[]> {
  const before = await count(rig);
  await rig.sendMany(EMAILS, { behaviour: 'dropdot.1' });
  await untilSettled(rig);
  const { second } = await count(rig);
  return expectThat(
    second === before.second,
    `connection cut after the final dot: the second relay has ${second - before.second} emails that the first took`,
  );
}

const REFUSED_DOMAIN = 'refused.test';

function toSender(reaction: Pick<ReplyOverride, 'how' | 'reply'>): ReplyOverride {
  return { moment: 'MAIL', senderDomain: `bounces.${REFUSED_DOMAIN}`, ...reaction };
}

/** Ways in which the relay refuses the mail of one tenant, because of the sender or the recipient. */
const refusals: ReadonlyArray<{ readonly name: string; readonly to: string; readonly override?: ReplyOverride }> = [
  {
    name: '421 to the sender',
    to: 'reject',
    override: toSender({ how: 'sayAndCut', reply: '421 4.7.0 Not from you' }),
  },
  { name: '530 to the sender', to: 'reject', override: toSender({ how: 'say', reply: '530 5.7.0 Not from you' }) },
  { name: 'connection cut after the sender', to: 'reject', override: toSender({ how: 'cut' }) },
  { name: '530 to the recipient', to: 'login' },
];

/** @returns the part of a request with which a new workspace sends from its own domain */
async function openRefusedTenant({ ctx }: Rig) {
  const { workspaceId, key } = await createTestWorkspace(ctx, { planId: 'pro' });
  const { id } = await createDomain(ctx, operator, workspaceId, REFUSED_DOMAIN);
  await markDomainVerified(ctx, id);
  return { authorization: `Bearer ${key}`, extra: { from_: `hi@${REFUSED_DOMAIN}` } };
}

/** @returns how many attempts blamed the relay, and how many refused recipients have a status other than `failed` */
async function readRefused({ ctx }: Rig): Promise<{ uncharged: number; others: number }> {
  const { rows } = await ctx.db.raw(`
    select (select count(*)::int from delivery_attempts where outcome = 'route_fault') as uncharged,
      (select count(*)::int from email_recipients where address !~ '^ok' and status <> 'failed') as others`);
  return rows[0];
}

export const relayScenarios: readonly Scenario[] = [
  {
    id: 'F36',
    fault:
      'the first of two relays fails in various ways; the second takes the mail unless the first may already have it',
    options: { relays: 2 },
    maxSecondCopies: () => EMAILS,
    async run(rig) {
      const failures: Failure[] = [];
      for (const mode of modes) {
        failures.push(...(await sendDuring(rig, mode)));
        await untilFirstIsUsed(rig);
      }
      failures.push(...(await sendAmbiguously(rig)));
      return { failures, figures: `${modes.length} ways of failing, ${EMAILS} emails each` };
    },
  },
  {
    id: 'F37',
    fault: 'the relay refuses the mail of one tenant, or disconnects; another tenant sends one email at a time',
    async run(rig) {
      const refused = await openRefusedTenant(rig);
      const waits: number[] = [];
      for (const { to, override } of refusals) {
        await (override ? rig.smtp.overrideReplies(override) : rig.smtp.restore());
        await rig.sendMany(20, { behaviour: to, more: refused });
        for (let sent = 0; sent < 10; sent += 1) waits.push(await timeSingleEmail(rig, rig.tenant));
        await untilSettled(rig);
      }
      const { uncharged, others } = await readRefused(rig);
      const slowest = Math.round(getPercentile(waits, 1) ?? 0);
      return {
        figures: `${refusals.length} kinds of refusal; the single emails took ${Math.round(getPercentile(waits, 0.5) ?? 0)} ms (median), ${slowest} ms (slowest)`,
        failures: [
          ...expectThat(uncharged === 0, `${uncharged} attempts blamed the relay`),
          ...expectThat(others === 0, `${others} refused recipients did not use up their attempts`),
          ...expectInTime(slowest < 1_000, `the slowest single email took ${slowest} ms`),
        ],
      };
    },
  },
];
