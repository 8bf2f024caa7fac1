import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@posthorn/testing';
import { startBouncingServer } from '../../rig/bouncing-server.js';
import { expectThat, type Failure } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import type { SupervisedProcess } from '../../rig/supervised-process.js';
import { untilSettled } from '../../rig/until.js';

const FAILPOINTS = [
  'before_report_commit',
  'after_report_commit',
  'before_reports_applied',
  'after_reports_applied',
] as const;

/** Kills everything that a bounce passes through. @returns what was done */
async function breakEverything({ inbounds, workers, servers, random }: Rig, scale: number): Promise<string> {
  const [listener] = inbounds as [SupervisedProcess];
  const rounds = Math.ceil(4 * scale);
  for (let round = 0; round < rounds; round += 1) {
    for (const failpoint of FAILPOINTS) {
      await listener.restartWithFailpoint(`${failpoint}:kill`);
      await listener.untilKilledByFailpoint();
    }
    await random.pick(workers as [SupervisedProcess, ...SupervisedProcess[]]).kill();
    await sleep(random.between(200, 1_000));
    await servers.crashPostgres();
    await sleep(random.between(200, 1_000));
  }
  return `${rounds} times each: kill -9 of the listener at ${FAILPOINTS.length} points and of a worker, immediate shutdown of Postgres`;
}

type Row = { address: string; status: string; bounces: number; suppressions: number };

/** Half of the mail bounces, so the workspace would be paused within seconds. The limits count from this time on. */
async function preventPause({ ctx, tenant }: Rig): Promise<void> {
  await ctx.db('workspaces').where({ id: tenant.workspaceId }).update({ resumed_at: '2100-01-01' });
}

async function readRecipients({ ctx, tenant }: Rig): Promise<Row[]> {
  const { rows } = await ctx.db.raw(
    `select address, status,
       (select count(*)::int from events where stream_id = email_id and type = 'email.bounced') as bounces,
       (select count(*)::int from suppressions where suppressions.address = recipient.address) as suppressions
     from email_recipients as recipient
     where email_id in (select id from emails where workspace_id = ?)`,
    [tenant.workspaceId],
  );
  return rows;
}

async function checkRecipients(rig: Rig, bounced: ReadonlySet<string>): Promise<Failure[]> {
  const recipients = await readRecipients(rig);
  const wrong = recipients.filter(({ address, status, bounces, suppressions }) =>
    bounced.has(address)
      ? status !== 'bounced' || bounces !== 1 || suppressions !== 1
      : status !== 'sent' || bounces !== 0 || suppressions !== 0,
  );
  const { rows: gaps } = await rig.ctx.db.raw(
    `select stream_id from events where type like 'email.%'
     group by stream_id having min(sequence) <> 1 or max(sequence) <> count(*)`,
  );
  return [
    ...expectThat(wrong.length === 0, `${wrong.length} recipients are wrong, such as ${JSON.stringify(wrong[0])}`),
    ...expectThat(gaps.length === 0, `${gaps.length} emails have gaps in the sequence of their events`),
  ];
}

export const feedback: Scenario = {
  id: 'F45',
  fault: 'kill -9 of the bounce listener at each step, kill -9 of workers and immediate shutdowns of Postgres',
  options: { workers: 2, inbounds: 1 },
  // A worker that dies may hold a few emails whose replies it has not read.
  maxSecondCopies: (scale) => Math.ceil(4 * scale) * 16,
  async run(rig, scale) {
    await preventPause(rig);
    const [{ port } = { port: 0 }] = rig.inbounds;
    const server = startBouncingServer(rig, port);
    const done = await rig.whileSending(() => breakEverything(rig, scale), { inFlight: 4, pauseMs: 20 });
    const responses = await rig.sendMany(Math.ceil(1_000 * scale));
    await untilSettled(rig);
    await server.stop();
    await until('every bounce has been applied', async () => {
      const [{ count = 1 } = {}] = await rig.ctx.db('feedback_reports').whereNotNull('due_at').count();
      return Number(count) === 0;
    });
    const retries = server.retries();
    return {
      failures: [
        ...(await checkRecipients(rig, server.bounced)),
        ...expectThat(
          responses.every(({ status }) => status === 202),
          'some emails were refused',
        ),
      ],
      figures: `${done}; ${server.bounced.size} bounces, sent again ${retries} times, 0 lost, 0 wrong`,
    };
  },
};
