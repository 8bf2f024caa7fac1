import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operator } from '@posthorn/domain/audit-log';
import { requestErasure } from '@posthorn/domain/erasure';
import { until } from '@posthorn/testing';
import { createClient, readEmailId, type SendRequest, type SendResponse } from '../rig/client.js';
import { expectThat, type Failure } from '../rig/failures.js';
import type { Handoff } from '../rig/faulty-smtp.js';
import { openJournal } from '../rig/journal.js';
import type { Rig } from '../rig/open-rig.js';
import type { Scenario } from '../rig/scenario.js';
import { ROOT } from '../rig/servers.js';

/** Emails whose message a mail server has, but has not confirmed, when the backup is taken. */
const IN_FLIGHT = 4;
/** How long the mail server takes to confirm these. */
const CONFIRM_MS = 40_000;
/** Emails of each kind that are waiting when the backup is taken. */
const WAITING = 25;
const SCHEDULED = 10;
/** Emails that are accepted and sent after the backup, so the restore loses them. */
const FORGOTTEN = 20;

/**
 * Everything is restored from a base backup while Redis keeps what it knows. The operator follows the procedure in
 * docs/operating/backups.md: restore, prepare, erase again, start, cancel what was already sent, release the rest.
 */
export const restore: Scenario = {
  id: 'restore',
  fault: 'Postgres is restored from a backup, and Redis is not',
  options: { workers: 2 },
  // The messages that were in flight are ambiguous, so they are sent again.
  maxSecondCopies: () => IN_FLIGHT,
  async run(rig) {
    const before = await fillQueue(rig);
    const restoreBackup = await rig.servers.backUpPostgres();
    const known = rig.smtp.handoffs.length;
    await posthorn(rig, 'queue', 'resume');
    const [, erased] = before.later;
    const journal = await eraseLater(rig, erased as SentEmail);
    await until('everything has been sent once', async () => (await countDue(rig)) === 0);
    const forgotten = await sendForgotten(rig);
    await until('this has been sent too', async () => (await countDue(rig)) === 0);
    await rig.smtp.catchUp();
    const sentAfterBackup = takeFrom(rig, known);

    const starts = await Promise.all([...rig.apis, ...rig.workers].map((process) => process.takeDown()));
    await restoreBackup();
    const prepared = await posthorn(rig, 'restore', 'prepare');
    await posthorn(rig, 'erasure', 'repeat', '--file', journal);
    await posthorn(rig, 'queue', 'resume');
    await Promise.all(starts.map((start) => start()));

    const again = await Promise.all(
      forgotten.map(({ request }, index) => rig.client.send(repeated(rig, request, index))),
    );
    await rig.sendMany(FORGOTTEN);
    await until('new mail has been sent', () => sentAddresses(rig, known).size >= 2 * FORGOTTEN);
    await rig.smtp.catchUp();
    const old = new Set([...before.earlier, ...before.later, ...before.inFlight].map(({ address }) => address));
    const tooEarly = rig.smtp.handoffs.slice(known).filter(({ to }) => old.has(to[0] ?? ''));
    const refused = again.filter(({ status }) => status !== 202);
    const replayed = again.filter(({ body }, index) => body.includes(forgotten[index]?.id ?? ''));

    const canceled = await posthorn(rig, 'queue', 'cancel', '--before', before.between.toISOString());
    const released = await posthorn(rig, 'restore', 'release');
    await until('the released mail has been sent', async () => (await countDue(rig)) === 0);
    await rig.smtp.catchUp();
    const sentAfterRelease = rig.smtp.handoffs.slice(known);
    return {
      figures:
        `${prepared.parked} parked, ${tooEarly.length} sent before the release, ${replayed.length} of ${again.length} ` +
        `answers from before the restore, ${refused.length} refused, ${canceled.canceled} canceled, ${released.released} released`,
      failures: [
        ...expectThat(tooEarly.length === 0, `${tooEarly.length} parked messages were sent before the release`),
        ...expectThat(replayed.length === 0, `${replayed.length} answers are about mail that no longer exists`),
        ...expectThat(
          refused.length === 0,
          `${refused.length} requests were refused because of mail that no longer exists, the first with ${refused[0]?.body}`,
        ),
        ...expectEqual('parked', prepared.parked, IN_FLIGHT + 2 * WAITING + SCHEDULED),
        ...expectEqual('canceled', canceled.canceled, WAITING),
        ...expectEqual('left because they may be with a server', canceled.left_sending, IN_FLIGHT),
        ...expectEqual('released', released.released, IN_FLIGHT + WAITING - 1 + SCHEDULED),
        ...checkSent('canceled', before.earlier, sentAfterRelease, 0),
        ...checkSent('erased', [erased as SentEmail], sentAfterRelease, 0),
        ...checkSent(
          'released',
          before.later.filter((email) => email !== erased),
          sentAfterRelease,
          1,
        ),
        ...checkMessageIds(before.later, sentAfterBackup, sentAfterRelease),
        ...(await checkScheduled(rig)),
      ],
    };
  },
};

type SentEmail = { readonly id: string; readonly address: string; readonly request: SendRequest };

type Queue = {
  readonly inFlight: readonly SentEmail[];
  readonly earlier: readonly SentEmail[];
  /** A time after the earlier emails and before the later ones. */
  readonly between: Date;
  readonly later: readonly SentEmail[];
};

/** Fills the queue, and pauses it so that it stays filled until the backup has been taken. */
async function fillQueue(rig: Rig): Promise<Queue> {
  await rig.sendMany(WAITING);
  const inFlight = await send(rig, IN_FLIGHT, `late.${CONFIRM_MS}`);
  await until('the server has these messages', () =>
    inFlight.every(({ address }) => rig.smtp.handoffs.some(({ to }) => to[0] === address)),
  );
  await until('nothing else is waiting', async () => (await countDue(rig)) === IN_FLIGHT);
  await posthorn(rig, 'queue', 'pause');
  // A worker may have begun to claim when the pause was written.
  await until('the workers have noticed', () => new Promise((resolve) => setTimeout(() => resolve(true), 2_000)));
  const earlier = await send(rig, WAITING, 'ok');
  const between = new Date();
  await until('time has passed', () => Date.now() > between.getTime() + 5);
  const later = await send(rig, WAITING, 'ok');
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  await rig.sendMany(SCHEDULED, { more: { extra: { scheduled_at: scheduledAt } } });
  return { inFlight, earlier, between, later };
}

async function send(rig: Rig, count: number, behaviour: string, client = rig.client): Promise<SentEmail[]> {
  const requests = Array.from({ length: count }, () => rig.requestTo(behaviour));
  return Promise.all(
    requests.map(async (request) => ({
      id: readEmailId(await client.send(request)),
      address: request.to[0] as string,
      request,
    })),
  );
}

/** Another client sends these, so that the oracles do not look for them. */
async function sendForgotten(rig: Rig): Promise<SentEmail[]> {
  const journal = await openJournal<SendResponse>(join(rig.servers.folder, `${rig.name}-forgotten.jsonl`));
  try {
    return await send(rig, FORGOTTEN, 'ok', createClient(journal, rig.canary));
  } finally {
    await journal.close();
  }
}

/** Erases the recipient of an email that is in the backup. @returns the file with the journal of erasures */
async function eraseLater(rig: Rig, { address }: SentEmail): Promise<string> {
  await requestErasure(rig.ctx, operator, { workspaceId: rig.tenant.workspaceId, address });
  const file = join(rig.servers.folder, `${rig.name}-erasures.ndjson`);
  writeFileSync(file, await runPosthorn(rig, ['erasure', 'export']));
  return file;
}

/** Every other request has the same key and another text. The restored database does not know the key. */
function repeated(rig: Rig, request: SendRequest, index: number): SendRequest {
  return index % 2 === 0 ? request : { ...request, extra: { text: `${rig.canary} again` } };
}

/** Forgets the handoffs after the backup: the restored database does not know them either. */
function takeFrom(rig: Rig, index: number): Handoff[] {
  return (rig.smtp.handoffs as Handoff[]).splice(index);
}

function sentAddresses(rig: Rig, from: number): Set<string> {
  return new Set(rig.smtp.handoffs.slice(from).flatMap(({ to }) => to));
}

async function countDue({ ctx }: Rig): Promise<number> {
  const { rows } = await ctx.db.raw(
    'select count(*)::int as due from deliveries where due_at <= now() or lease_until is not null',
  );
  return rows[0].due;
}

function expectEqual(what: string, actual: unknown, expected: number): Failure[] {
  return expectThat(actual === expected, `${actual} emails were ${what}, not ${expected}`);
}

function checkSent(
  what: string,
  emails: readonly SentEmail[],
  handoffs: readonly Handoff[],
  copies: number,
): Failure[] {
  const wrong = emails.filter(({ address }) => handoffs.filter(({ to }) => to.includes(address)).length !== copies);
  return expectThat(wrong.length === 0, `${wrong.length} ${what} emails were not sent ${copies} times`);
}

function checkMessageIds(
  emails: readonly SentEmail[],
  first: readonly Handoff[],
  second: readonly Handoff[],
): Failure[] {
  const findId = (handoffs: readonly Handoff[], address: string) =>
    handoffs.find(({ to }) => to.includes(address))?.messageId;
  const other = emails.filter(({ address }) => {
    const released = findId(second, address);
    return released !== undefined && released !== findId(first, address);
  });
  return expectThat(other.length === 0, `${other.length} released messages have another Message-ID than before`);
}

async function checkScheduled({ ctx }: Rig): Promise<Failure[]> {
  const { rows } = await ctx.db.raw(
    "select count(*)::int as count from emails join deliveries on email_id = id where status = 'scheduled' and not is_due",
  );
  return expectEqual('scheduled in the end', rows[0].count, SCHEDULED);
}

async function posthorn(rig: Rig, ...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse(await runPosthorn(rig, [...args, '--json']));
}

/** Runs the command as an operator would. @returns what it prints */
async function runPosthorn({ ctx: { config } }: Rig, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'apps/cli/dist/main.js'), ...args], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: config.databaseUrl,
      REDIS_URL: config.redisUrl,
      SECRET_KEY: config.secretKey ?? '',
    },
  });
  return stdout;
}
