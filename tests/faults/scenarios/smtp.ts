import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '@posthorn/testing';
import { emailIdOf, type SendRequest } from '../rig/client.js';
import type { Rig } from '../rig/open-rig.js';
import { untilSettled } from '../rig/until.js';
import { expectThat, type Scenario } from '../scenario.js';

type Tally = Readonly<Record<string, number>>;

/** How many recipients of each behaviour ended how, such as `{ 'reject bounced': 10 }`. */
async function tally({ ctx }: Rig): Promise<Tally> {
  const { rows } = await ctx.db.raw(`
    select substring(address from '^[a-z]+') || ' ' || status as what, count(*)::int as n
    from email_recipients group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ what, n }: { what: string; n: number }) => [what, n]));
}

async function mostDeferrals({ ctx }: Rig): Promise<number> {
  const { rows } = await ctx.db.raw('select max(deferrals)::int as most from emails');
  return rows[0].most;
}

function expectTally(seen: Tally, wanted: Tally): string[] {
  const isSame = JSON.stringify(Object.entries(seen).sort()) === JSON.stringify(Object.entries(wanted).sort());
  return expectThat(isSame, `recipients ended as ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
}

function toText(seen: Tally): string {
  return Object.entries(seen)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}

/** Ten emails for each behaviour; once all has settled every recipient must have ended as it should. */
async function sendAll(rig: Rig, ends: Readonly<Record<string, string>>, more: Partial<SendRequest> = {}) {
  for (const behaviour of Object.keys(ends)) await rig.sendMany(10, { behaviour, more });
  await untilSettled(rig);
  const seen = await tally(rig);
  const wanted = Object.fromEntries(
    Object.entries(ends).map(([behaviour, end]) => [`${behaviour.split('.')[0]} ${end}`, 10]),
  );
  return { figures: toText(seen), violations: expectTally(seen, wanted) };
}

/** Everybody is turned away for a while: the mail must wait, uncharged, and all of it arrive afterwards. */
async function waitOut(rig: Rig, ms: number, { begin, end }: { begin: () => Promise<void>; end: () => Promise<void> }) {
  await begin();
  const answers = await rig.sendMany(50);
  await sleep(ms);
  await end();
  const startedAt = performance.now();
  await untilSettled(rig, 90_000);
  const drainSeconds = (performance.now() - startedAt) / 1_000;
  const seen = await tally(rig);
  return {
    figures: `${answers.length} waited, drained ${drainSeconds.toFixed(1)} s after`,
    violations: [
      ...expectTally(seen, { 'ok sent': answers.length }),
      ...expectThat((await mostDeferrals(rig)) === 0, 'an attempt was charged'),
    ],
  };
}

export const smtpScenarios: readonly Scenario[] = [
  {
    id: 'F21',
    fault: 'the mail server refuses connections for a while',
    run: (rig, scale) => waitOut(rig, 60_000 * scale, { begin: rig.smtp.dropConnections, end: rig.smtp.restore }),
  },
  {
    id: 'F22',
    fault: '451 at RCPT, 451 and 554 after the dot, 421',
    run: (rig) => sendAll(rig, { 'tempfail.2': 'sent', 'datatemp.2': 'sent', datareject: 'bounced', 'busy.2': 'sent' }),
  },
  {
    id: 'F23',
    fault: 'one email to three: taken, 550, and 451 for a while',
    async run(rig) {
      for (let sent = 0; sent < 10; sent += 1) {
        const to = ['ok', 'reject', 'tempfail.2'].map((behaviour) => `${behaviour}-${sent}@rig.test`);
        await rig.client.post(rig.requestTo('ok', { to }));
      }
      await untilSettled(rig);
      const seen = await tally(rig);
      return {
        figures: toText(seen),
        violations: expectTally(seen, { 'ok sent': 10, 'reject bounced': 10, 'tempfail sent': 10 }),
      };
    },
  },
  {
    id: 'F24',
    fault: 'the link breaks at the first byte of the message, and in the envelope',
    async run(rig) {
      await rig.smtp.overrideReplies({ moment: 'MAIL', how: 'cut', times: 10 });
      // More than the sockets' buffers hold, mostly: what was sent wholly is ambiguous, and rightly so.
      const extra = { text: 'x'.repeat(2_000_000), html: 'x'.repeat(2_000_000) };
      const found = await sendAll(rig, { 'dropbody.2': 'sent', ok: 'sent' }, { extra });
      const { rows } = await rig.ctx.db.raw(`
        select count(*) filter (where phase = 'data')::int as cut_off,
          count(*) filter (where outcome = 'ambiguous' and phase <> 'reply')::int as wrongly_marked
        from delivery_attempts`);
      const { cut_off, wrongly_marked } = rows[0];
      return {
        figures: `${found.figures}; ${cut_off} attempts broke off in the midst of the message`,
        violations: [
          ...found.violations,
          ...expectThat(cut_off > 0, 'no attempt broke off in the midst of a message'),
          ...expectThat(
            wrongly_marked === 0,
            `${wrongly_marked} attempts are marked although nobody can have the mail`,
          ),
        ],
      };
    },
  },
  {
    id: 'F25',
    fault: 'the mail server takes the message and breaks the link in place of the 250',
    maxSecondCopies: () => 10,
    run: (rig) => sendAll(rig, { 'dropdot.1': 'sent' }),
  },
  {
    id: 'F26',
    fault: 'the 250 comes after three leases',
    async run(rig) {
      await rig.sendMany(8, { inFlight: 8, behaviour: 'late.9000' });
      await untilSettled(rig);
      const copies = rig.smtp.handoffs.length;
      return { violations: expectThat(copies === 8, `8 emails were handed over ${copies} times`) };
    },
  },
  {
    id: 'F27',
    fault: 'some connections drip without end after EHLO; others work',
    async run(rig) {
      await rig.smtp.overrideReplies({ moment: 'EHLO', how: 'drip', times: 3 });
      const answers = await rig.sendMany(60);
      const acceptedAt = new Map(answers.map((answer) => [emailIdOf(answer), answer.at]));
      await untilSettled(rig, 150_000);
      const waits = rig.smtp.handoffs.map(
        ({ messageId, at }) => at - (acceptedAt.get(messageId.split('@')[0] ?? '') ?? at),
      );
      const median = percentile(waits, 0.5) ?? 0;
      const slowest = percentile(waits, 1) ?? 0;
      return {
        figures: `handed over after ${median} ms (median), ${(slowest / 1_000).toFixed(1)} s (slowest)`,
        violations: expectThat(median < 2_000, `half of the others waited longer than ${median} ms`),
      };
    },
  },
  {
    id: 'F28',
    fault: 'the mail server greets with 554, then demands a log-in nobody gave us',
    async run(rig, scale) {
      const greeting = await waitOut(rig, 5_000 * scale, {
        begin: () => rig.smtp.overrideReplies({ moment: 'CONNECT', how: 'sayAndCut', reply: '554 Go away' }),
        end: rig.smtp.restore,
      });
      return greeting.violations.length > 0 ? greeting : waitOutAgain(rig, 5_000 * scale, greeting.figures);
    },
  },
];

/** The same with a refusal of the account at MAIL. */
async function waitOutAgain(rig: Rig, ms: number, before: string) {
  await rig.smtp.overrideReplies({ moment: 'MAIL', how: 'say', reply: '530 5.7.0 Authentication required' });
  const answers = await rig.sendMany(20);
  await sleep(ms);
  await rig.smtp.restore();
  await untilSettled(rig, 90_000);
  const seen = await tally(rig);
  return {
    figures: `${before}; ${answers.length} more`,
    violations: [
      ...expectTally(seen, { 'ok sent': 70 }),
      ...expectThat((await mostDeferrals(rig)) === 0, 'an attempt was charged'),
    ],
  };
}
