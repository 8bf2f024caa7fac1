import { setTimeout as sleep } from 'node:timers/promises';
import { expectThat } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilSettled } from '../../rig/until.js';

/** Just under the 72 hours after which an email fails. */
const OUTAGE_HOURS = 68;
/**
 * More than a smallint can hold. In an outage this long, several workers together claim a waiting email about this many
 * times.
 */
const CLAIMS = 36_000;
const STEPS = 4;

/** Makes all waiting emails older and raises their number of claims, as if another part of the outage had passed. */
async function skipTime({ ctx }: Rig): Promise<void> {
  await ctx.db.raw(
    `with claimed as (
       update deliveries set attempt = attempt + :claims::int where lease_until is null returning email_id
     )
     update emails set created_at = created_at - :hours::int * interval '1 hour'
     from claimed where emails.id = email_id`,
    { claims: CLAIMS / STEPS, hours: OUTAGE_HOURS / STEPS },
  );
}

/** @property rows the largest number of attempts that are stored for one email */
async function inspect({ ctx }: Rig): Promise<{ unsent: number; charged: number; claims: number; rows: number }> {
  const { rows } = await ctx.db.raw(`
    select count(*) filter (where status <> 'sent')::int as unsent, count(*) filter (where deferrals > 0)::int as charged,
      coalesce(max(attempt), 0)::int as claims,
      (select max(n)::int from (select count(*) as n from delivery_attempts group by email_id) as counted) as rows
    from emails left join deliveries on deliveries.email_id = emails.id`);
  return rows[0];
}

export const longOutage: Scenario = {
  id: 'F35',
  fault: 'the mail server refuses connections for nearly 72 hours (simulated); waiting emails are claimed 36,000 times',
  options: { workers: 4 },
  async run(rig, scale) {
    await rig.smtp.dropConnections();
    for (let step = 0; step < STEPS; step += 1) {
      await rig.sendMany(Math.ceil(25 * scale));
      await sleep(8_000 * scale);
      await skipTime(rig);
    }
    const waiting = await inspect(rig);
    await rig.smtp.restore();
    await untilSettled(rig);
    const ended = await inspect(rig);
    const failedSweeps = rig.workers.flatMap(({ lines }) => lines).filter((line) => line.includes('"sweep_failed"'));
    return {
      figures: `${waiting.unsent} emails waited; up to ${waiting.claims} claims and ${ended.rows} stored attempts per email`,
      failures: [
        ...expectThat(ended.unsent === 0, `${ended.unsent} emails were not sent`),
        ...expectThat(waiting.charged === 0, `${waiting.charged} emails were charged an attempt`),
        // These are the last attempt that found no usable relay, and the one that is running or has sent the email.
        ...expectThat(
          waiting.rows <= 2 && ended.rows <= 2,
          `an email has ${Math.max(waiting.rows, ended.rows)} stored attempts; the limit is 2`,
        ),
        ...expectThat(failedSweeps.length === 0, `the sweep failed: ${failedSweeps[0]}`),
      ],
    };
  },
};
