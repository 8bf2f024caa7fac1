import { setTimeout as sleep } from 'node:timers/promises';
import { deleteUnusedAttachments } from '@posthorn/domain/attachments';
import { expectThat, type Failure } from '../../rig/failures.js';
import type { Rig } from '../../rig/open-rig.js';
import type { Scenario } from '../../rig/scenario.js';
import { untilSettled } from '../../rig/until.js';
import {
  checkFiles,
  killApiAtSteps,
  kills,
  killWhileStreaming,
  MAX_COPIES_PER_KILL,
  MAX_FILE_BYTES,
  sendWithFiles,
} from './attachments.js';

/** Kills the API while it stores files, mostly before it has sent the whole file to the object store. */
async function killWhileStoring(rig: Rig, kills: number): Promise<void> {
  const [api] = rig.apis;
  for (let kill = 0; kill < kills; kill += 1) {
    const sending = sendWithFiles(rig, 4, MAX_FILE_BYTES);
    await sleep(rig.random.between(50, 500));
    await api?.kill();
    await sending;
  }
}

/** Kills the object store while files are stored and streamed, and keeps it down for a while. */
async function killObjectStore(rig: Rig, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill += 1) {
    const sending = sendWithFiles(rig, 6, MAX_FILE_BYTES);
    await sleep(rig.random.between(100, 1_500));
    await rig.s3?.crash(rig.random.between(0, 2_000));
    await sending;
  }
}

/** While the object store is down, requests must be refused with 503. */
function checkResponses({ client }: Rig): Failure[] {
  const failed = client.journal.entries.filter(({ status }) => status === 500);
  return expectThat(failed.length === 0, `${failed.length} requests got a 500`);
}

/** After an hour, only content that an email has may be left, in the object store too. */
async function checkObjects(rig: Rig): Promise<Failure[]> {
  const { ctx, s3 } = rig;
  await ctx.db('blobs').update({ kept_until: new Date(0) });
  await deleteUnusedAttachments(ctx, 10_000);
  const { rows } = await ctx.db.raw(`
    select array(select object_key from blobs where is_stored order by 1) as stored,
      (select count(*)::int from blobs) as kept, (select count(distinct sha256)::int from email_attachments) as used,
      (select count(*)::int from blob_parts) as parts, (select count(*)::int from unused_objects) as unused`);
  const { stored, kept, used, parts, unused } = rows[0];
  const objects = (await s3?.listObjects()) ?? [];
  const orphans = objects.filter((key) => !stored.includes(key));
  const missing = stored.filter((key: string) => !objects.includes(key));
  return [
    ...expectThat(used === kept && kept === stored.length, `emails have ${used} files, but ${kept} are kept`),
    ...expectThat(missing.length === 0, `${missing.length} files are not in the object store`),
    ...expectThat(orphans.length === 0 && unused === 0, `${orphans.length} objects belong to no email`),
    ...expectThat(parts === 0, `${parts} parts of files are in Postgres`),
  ];
}

export const objectStore: Scenario = {
  id: 'F43',
  fault:
    'kill -9 of the API while it stores files in S3, of the worker while it streams from there, and of the S3 server',
  options: { withS3: true },
  maxSecondCopies: (scale) => kills(scale) * MAX_COPIES_PER_KILL,
  async run(rig, scale) {
    await killApiAtSteps(rig, ['after_admission', 'after_staging']);
    await killWhileStoring(rig, kills(scale));
    await killWhileStreaming(rig, kills(scale));
    await killObjectStore(rig, kills(scale));
    await untilSettled(rig);
    const refused = rig.client.journal.entries.filter(({ status }) => status === 503).length;
    return {
      figures: `${rig.handoffs().length} messages with files; S3 killed ${kills(scale)} times, ${refused} requests refused`,
      failures: [...checkResponses(rig), ...(await checkFiles(rig)), ...(await checkObjects(rig))],
    };
  },
};
