import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteUnusedAttachments } from '@posthorn/domain/attachments';
import type { SendRequest } from '../../rig/client.js';
import { expectThat, type Failure } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilSettled } from '../../rig/until.js';

/** A file of this size is read from the database while it is sent, not kept in memory. */
const STREAMED_BYTES = 1_500_000;
/** Close to the size limit of a message. */
export const MAX_FILE_BYTES = 7_000_000;
const SLOTS = 20;
const MAX_MEMORY_MB = 400;

/** How often the worker is killed while it streams. */
export const kills = (scale: number) => Math.ceil(6 * scale);

/**
 * On average. Emails from earlier kills still wait for their next attempt, so a worker that dies holds up to 18
 * large emails. Most of them are being read or sent. A few are past their last byte and waiting for the reply.
 */
export const MAX_COPIES_PER_KILL = 2;

const acceptSteps = ['after_admission', 'after_staging', 'before_commit', 'after_commit', 'before_response'] as const;
const deliverSteps = ['after_claim', 'before_data', 'after_data', 'after_marker'] as const;

/** A request whose attachment nobody has sent before. */
function requestWithFile(rig: Rig, bytes: number, behaviour = 'ok'): SendRequest {
  const content = randomBytes(bytes).toString('base64');
  return rig.requestTo(behaviour, { extra: { attachments: [{ filename: 'report.pdf', content }] } });
}

/** The byte limits of a workspace leave room for two large requests at a time. */
export async function sendWithFiles(rig: Rig, count: number, bytes: number, behaviour?: string): Promise<void> {
  let left = count;
  await rig.client.load(2, () => (left-- > 0 ? requestWithFile(rig, bytes, behaviour) : null));
}

export async function killApiAtSteps(rig: Rig, steps: readonly string[]): Promise<void> {
  const [api] = rig.apis;
  for (const step of steps) {
    await api?.restartWithFailpoint(`${step}@2:kill`);
    await sendWithFiles(rig, 6, STREAMED_BYTES);
    await api?.untilKilledByFailpoint();
  }
}

async function killWorkerAtEachStep(rig: Rig): Promise<void> {
  const [worker] = rig.workers;
  for (const step of deliverSteps) {
    await worker?.restartWithFailpoint(`${step}@3:kill`);
    await sendWithFiles(rig, 6, STREAMED_BYTES, 'slow.100');
    await worker?.untilKilledByFailpoint();
    await untilSettled(rig);
  }
}

/** Kills the worker while it streams several messages. */
export async function killWhileStreaming(rig: Rig, kills: number): Promise<void> {
  const [worker] = rig.workers;
  for (let kill = 0; kill < kills; kill += 1) {
    const sending = sendWithFiles(rig, 4, MAX_FILE_BYTES);
    await sleep(rig.random.between(300, 1_500));
    await worker?.kill();
    await sending;
  }
}

/** Holds back emails of the largest size until there is one for each slot. @returns the worker's peak memory in MB */
async function sendInAllSlots(rig: Rig): Promise<number> {
  const [worker] = rig.workers;
  const later = new Date(Date.now() + 3_600_000).toISOString();
  let left = SLOTS;
  await rig.client.load(2, () => {
    if (left-- <= 0) return null;
    const request = requestWithFile(rig, MAX_FILE_BYTES);
    return { ...request, extra: { ...request.extra, scheduled_at: later } };
  });
  await rig.ctx.db('deliveries').update({ due_at: new Date() });
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, worker?.memoryMb() ?? 0);
  }, 50);
  await untilSettled(rig).finally(() => clearInterval(watch));
  return peakMb;
}

/** Every message that the server has must contain the whole file that is stored for its email. */
export async function checkFiles({ ctx, handoffs }: Rig): Promise<Failure[]> {
  const { rows } = await ctx.db.raw("select email_id, encode(sha256, 'hex') as sha256 from email_attachments");
  const stored = new Map(rows.map((row: { email_id: string; sha256: string }) => [row.email_id, row.sha256]));
  const wrong = handoffs().filter(({ messageId, fileSha256 }) => stored.get(messageId.split('@')[0]) !== fileSha256);
  return expectThat(wrong.length === 0, `${wrong.length} messages lack their attachment or part of it`);
}

/** After an hour, only content that an email uses may be left. */
async function checkBlobs({ ctx }: Rig): Promise<Failure[]> {
  await ctx.db('blobs').update({ kept_until: new Date(0) });
  await deleteUnusedAttachments(ctx, 10_000);
  const { rows } = await ctx.db.raw(`
    select count(distinct sha256)::int as used, (select count(*)::int from blobs) as kept,
      (select count(distinct sha256)::int from blob_parts) as with_parts
    from email_attachments`);
  const { used, kept, with_parts } = rows[0];
  return expectThat(
    used === kept && kept === with_parts,
    `emails have ${used} files, but ${kept} are kept, ${with_parts} of them with content`,
  );
}

export const attachmentScenarios: readonly Scenario[] = [
  {
    id: 'F42',
    fault: 'kill -9 of API and worker while attachments are stored, streamed and sent; then all slots send 10 MB each',
    options: { env: { WORKER_CONCURRENCY: String(SLOTS) } },
    maxSecondCopies: (scale) => (deliverSteps.length + kills(scale)) * MAX_COPIES_PER_KILL,
    async run(rig, scale) {
      await killApiAtSteps(rig, acceptSteps);
      await killWorkerAtEachStep(rig);
      await killWhileStreaming(rig, kills(scale));
      await untilSettled(rig);
      const peakMb = await sendInAllSlots(rig);
      return {
        figures: `${rig.handoffs().length} messages with files; with ${SLOTS} of 10 MB, the worker used ${Math.round(peakMb)} MB`,
        failures: [
          ...(await checkFiles(rig)),
          ...(await checkBlobs(rig)),
          ...expectThat(
            peakMb < MAX_MEMORY_MB,
            `the worker used ${Math.round(peakMb)} MB; the limit is ${MAX_MEMORY_MB}`,
          ),
        ],
      };
    },
  },
];
