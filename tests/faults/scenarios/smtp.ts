import { setTimeout as sleep } from 'node:timers/promises';
import { getPercentile } from '@posthorn/testing';
import { readEmailId } from '../../rig/client.js';
import { expectInTime, expectThat, type Failure } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilSettled } from '../../rig/until.js';

type SendOptions = Omit<NonNullable<Parameters<Rig['sendMany']>[1]>, 'behaviour'>;

type RecipientCounts = Readonly<Record<string, number>>;

/** Counts recipients by behaviour and status, such as `{ 'reject bounced': 10 }`. */
async function countRecipients({ ctx }: Rig): Promise<RecipientCounts> {
  const { rows } = await ctx.db.raw(`
    select substring(address from '^[a-z]+') || ' ' || status as what, count(*)::int as n
    from email_recipients group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ what, n }: { what: string; n: number }) => [what, n]));
}

async function maxDeferrals({ ctx }: Rig): Promise<number> {
  const { rows } = await ctx.db.raw('select coalesce(max(deferrals), 0)::int as max from deliveries');
  return rows[0].max;
}

function expectCounts(seen: RecipientCounts, wanted: RecipientCounts): Failure[] {
  const isSame = JSON.stringify(Object.entries(seen).sort()) === JSON.stringify(Object.entries(wanted).sort());
  return expectThat(isSame, `the recipients' statuses are ${JSON.stringify(seen)}, expected ${JSON.stringify(wanted)}`);
}

function toText(seen: RecipientCounts): string {
  return Object.entries(seen)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}

/** Sends ten emails per behaviour; each recipient must end up with the status that `ends` names. */
async function sendAll(rig: Rig, ends: Readonly<Record<string, string>>, options: SendOptions = {}) {
  for (const behaviour of Object.keys(ends)) await rig.sendMany(10, { behaviour, ...options });
  await untilSettled(rig);
  const seen = await countRecipients(rig);
  const wanted = Object.fromEntries(
    Object.entries(ends).map(([behaviour, status]) => [`${behaviour.split('.')[0]} ${status}`, 10]),
  );
  return { figures: toText(seen), failures: expectCounts(seen, wanted) };
}

/**
 * Sends while the server accepts nothing. All emails must wait without being charged an attempt, and arrive afterwards.
 */
async function sendDuringOutage(
  rig: Rig,
  ms: number,
  { begin, end }: { begin: () => Promise<void>; end: () => Promise<void> },
) {
  await begin();
  const responses = await rig.sendMany(50);
  await sleep(ms);
  const deferrals = await maxDeferrals(rig);
  await end();
  const startedAt = performance.now();
  await untilSettled(rig, 90_000);
  const drainSeconds = (performance.now() - startedAt) / 1_000;
  const seen = await countRecipients(rig);
  return {
    figures: `${responses.length} waited, delivered ${drainSeconds.toFixed(1)} s after the fault ended`,
    failures: [
      ...expectCounts(seen, { 'ok sent': responses.length }),
      ...expectThat(deferrals === 0, 'an email was charged an attempt'),
    ],
  };
}

export const smtpScenarios: readonly Scenario[] = [
  {
    id: 'F21',
    fault: 'the mail server refuses connections for a while',
    run: (rig, scale) =>
      sendDuringOutage(rig, 60_000 * scale, { begin: rig.smtp.dropConnections, end: rig.smtp.restore }),
  },
  {
    id: 'F22',
    fault: 'the mail server replies 451 at RCPT, 451 or 554 after the final dot, or 421',
    run: (rig) => sendAll(rig, { 'tempfail.2': 'sent', 'datatemp.2': 'sent', datareject: 'bounced', 'busy.2': 'sent' }),
  },
  {
    id: 'F23',
    fault: 'one email to three recipients: accepted, 550, and 451 for a while',
    async run(rig) {
      for (let sent = 0; sent < 10; sent += 1) {
        const to = ['ok', 'reject', 'tempfail.2'].map((behaviour) => `${behaviour}-${sent}@rig.test`);
        await rig.client.send(rig.requestTo('ok', { to }));
      }
      await untilSettled(rig);
      const seen = await countRecipients(rig);
      return {
        figures: toText(seen),
        failures: expectCounts(seen, { 'ok sent': 10, 'reject bounced': 10, 'tempfail sent': 10 }),
      };
    },
  },
  {
    id: 'F24',
    fault: 'the connection breaks at the first byte of the message, or during the envelope',
    async run(rig) {
      await rig.smtp.overrideReplies({ moment: 'MAIL', how: 'cut', times: 10 });
      // Larger than most socket buffers, because a message that was sent completely would rightly be marked ambiguous.
      const extra = { text: 'x'.repeat(2_000_000), html: 'x'.repeat(2_000_000) };
      const found = await sendAll(rig, { 'dropbody.2': 'sent', ok: 'sent' }, { more: { extra }, inFlight: 2 });
      const { rows } = await rig.ctx.db.raw(`
        select count(*) filter (where phase = 'data')::int as cut_off,
          count(*) filter (where outcome = 'ambiguous' and phase <> 'reply')::int as wrongly_marked
        from delivery_attempts`);
      const { cut_off, wrongly_marked } = rows[0];
      return {
        figures: `${found.figures}; ${cut_off} attempts were cut off during the message`,
        failures: [
          ...found.failures,
          ...expectThat(cut_off > 0, 'no attempt was cut off during a message'),
          ...expectThat(
            wrongly_marked === 0,
            `${wrongly_marked} attempts are marked ambiguous although the server cannot have the message`,
          ),
        ],
      };
    },
  },
  {
    id: 'F25',
    fault: 'the mail server takes the message and breaks the connection instead of replying',
    maxSecondCopies: () => 10,
    run: (rig) => sendAll(rig, { 'dropdot.1': 'sent' }),
  },
  {
    id: 'F26',
    fault: 'the 250 arrives after three lease periods',
    async run(rig) {
      await rig.sendMany(8, { inFlight: 8, behaviour: 'late.9000' });
      await untilSettled(rig);
      const copies = rig.smtp.handoffs.length;
      return { failures: expectThat(copies === 8, `8 emails were handed over ${copies} times`) };
    },
  },
  {
    id: 'F27',
    fault: 'some connections send bytes slowly and endlessly after EHLO; others work',
    async run(rig) {
      await rig.smtp.overrideReplies({ moment: 'EHLO', how: 'drip', times: 3 });
      const responses = await rig.sendMany(60);
      const acceptedAt = new Map(responses.map((response) => [readEmailId(response), response.at]));
      await untilSettled(rig, 150_000);
      const waits = rig.smtp.handoffs.map(
        ({ messageId, at }) => at - (acceptedAt.get(messageId.split('@')[0] ?? '') ?? at),
      );
      const median = getPercentile(waits, 0.5) ?? 0;
      const slowest = getPercentile(waits, 1) ?? 0;
      return {
        figures: `handed over after ${median} ms (median), ${(slowest / 1_000).toFixed(1)} s (slowest)`,
        failures: expectInTime(median < 2_000, `the median wait was ${median} ms`),
      };
    },
  },
  {
    id: 'F28',
    fault: 'the mail server greets with 554, then requires a login that is not configured',
    async run(rig, scale) {
      const greeting = await sendDuringOutage(rig, 5_000 * scale, {
        begin: () => rig.smtp.overrideReplies({ moment: 'CONNECT', how: 'sayAndCut', reply: '554 Go away' }),
        end: rig.smtp.restore,
      });
      return greeting.failures.length > 0 ? greeting : sendDuringRejection(rig, 5_000 * scale, greeting.figures);
    },
  },
];

/** Sends while the server rejects every MAIL command for lack of authentication. */
async function sendDuringRejection(rig: Rig, ms: number, before: string) {
  await rig.smtp.overrideReplies({ moment: 'MAIL', how: 'say', reply: '530 5.7.0 Authentication required' });
  const responses = await rig.sendMany(20);
  await sleep(ms);
  const deferrals = await maxDeferrals(rig);
  await rig.smtp.restore();
  await untilSettled(rig, 90_000);
  const seen = await countRecipients(rig);
  return {
    figures: `${before}; ${responses.length} more waited until the server stopped asking for a login`,
    failures: [
      ...expectCounts(seen, { 'ok sent': 70 }),
      ...expectThat(deferrals === 0, 'an email was charged an attempt'),
    ],
  };
}
