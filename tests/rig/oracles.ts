import { countJobs } from '@posthorn/domain/delivery';
import { listWorkspaces } from '@posthorn/domain/workspaces';
import { getPercentile, until } from '@posthorn/testing';
import { readEmailIds, type SendResponse } from './client.js';
import { expectInTime, expectThat, type Failure, toFailure } from './failures.js';
import type { Rig } from './open-rig.js';
import { isRejectedPermanently } from './recipient-behaviour.js';

const PLATFORM_DOMAIN = 'posthorn.localhost';

/**
 * If the Redis reply that hands a job to a worker is lost, BullMQ makes the job available again within this time. It
 * locks a job for 30 s, checks every 30 s, and acts when it finds the job unlocked for the second time. The job's
 * emails do not have to wait that long.
 */
const MAX_QUEUE_MS = 100_000;

/** The time limit for recovery after a process has died or a server has failed. */
const MAX_RECOVERY_MS = 10_000;

/** A process must fit on the smallest machines that people run it on. */
const MAX_MEMORY_MB = 400;

/** What a scenario did to the mail, according to the client's journal, the mail server's journal and the database. */
export type OracleResult = {
  readonly accepted: number;
  /** Accepted emails that are not in progress, and were neither handed over nor ended with a reason. */
  readonly lost: number;
  /** Handoffs of a message for a recipient whose copy had already been handed over. */
  readonly secondCopies: number;
  /** Attempts after which it is unknown whether the server took the message. */
  readonly ambiguous: number;
  /** Sends that were counted beyond a cap, plus idempotency keys under which more than one email was created. */
  readonly overCap: number;
  /** The longest recovery, in milliseconds. */
  readonly recoveryMs: number;
  /** 99th percentile of the response times of 503s, in milliseconds; null if there were none. */
  readonly p99Of503Ms: number | null;
  readonly failures: readonly Failure[];
};

type EmailRow = {
  id: string;
  status: string;
  ambiguous: number;
  recipients: Array<{ address: string; status: string; response: string | null }>;
};

const IN_PROGRESS = ['queued', 'sending', 'deferred'];

/** Checks everything that docs/guarantees.md lists, once the mail has settled. */
export async function runOracles(rig: Rig): Promise<OracleResult> {
  const responses = rig.client.journal.entries;
  const accepted = responses.filter(({ status }) => status === 202);
  const emails = await readEmails(rig);
  const copies = countCopies(rig);
  const lost = accepted.flatMap(readEmailIds).filter((id) => isLost(emails.get(id), copies));
  const unfinished = [...emails.values()].filter(({ status }) => IN_PROGRESS.includes(status));
  const keysUsedTwice = await countKeysUsedTwice(rig, responses);
  const usage = await checkUsage(rig);
  const processes = [...rig.apis, ...rig.workers, ...rig.inbounds];
  const recoveryMs = Math.max(0, ...rig.recoveries, ...processes.flatMap(({ recoveries }) => recoveries));

  return {
    accepted: new Set(accepted.flatMap(readEmailIds)).size,
    lost: lost.length,
    secondCopies: countSecondCopies(rig),
    ambiguous: [...emails.values()].reduce((sum, email) => sum + email.ambiguous, 0),
    overCap: usage.overCap + keysUsedTwice,
    recoveryMs,
    p99Of503Ms: getPercentile(
      responses.filter(({ status }) => status === 503).map(({ ms }) => ms),
      0.99,
    ),
    failures: [
      ...expectThat(
        lost.length === 0,
        `${lost.length} accepted emails are lost: ${lost.slice(0, 3).map(describe(emails))}`,
      ),
      ...expectThat(unfinished.length === 0, `${unfinished.length} emails are still in progress`),
      ...checkHandoffs(rig, emails, copies),
      ...expectThat(keysUsedTwice === 0, `${keysUsedTwice} idempotency keys made more than one email`),
      ...usage.failures,
      ...(await checkReferences(rig)),
      ...(await checkSenders(rig)),
      ...(await checkLeftovers(rig)),
      ...checkProcesses(rig),
      ...expectInTime(recoveryMs < MAX_RECOVERY_MS, `the longest recovery took ${Math.round(recoveryMs)} ms`),
    ],
  };
}

async function readEmails({ ctx }: Rig): Promise<Map<string, EmailRow>> {
  const { rows } = await ctx.db.raw(`
    select emails.id, case when lease_until is null then emails.status else 'sending' end as status,
      (select count(*)::int from delivery_attempts as tried where tried.email_id = emails.id and outcome = 'ambiguous')
        as ambiguous,
      (select json_agg(json_build_object('address', address, 'status', status, 'response', smtp_response))
        from email_recipients as recipient where recipient.email_id = emails.id) as recipients
    from emails left join deliveries on deliveries.email_id = emails.id`);
  return new Map(rows.map((row: EmailRow) => [row.id, row]));
}

function checkHandoffs(rig: Rig, emails: Map<string, EmailRow>, copies: Map<string, number>): Failure[] {
  const repeated = [...copies].filter(([, count]) => count > 1);
  const unmarked = repeated.filter(([copy, count]) => count - 1 > (emails.get(emailIdIn(copy))?.ambiguous ?? 0));
  const unknown = rig.handoffs().filter(({ messageId }) => !emails.has(messageId.split('@')[0] ?? ''));
  return [
    ...expectThat(
      unmarked.length === 0,
      `${unmarked.length} messages have second copies that no ambiguous attempt accounts for: ${unmarked[0]?.[0]}`,
    ),
    ...expectThat(unknown.length === 0, `${unknown.length} messages that belong to no stored email were handed over`),
  ];
}

/** Shows an email's id, its status and the outcome for each recipient. */
function describe(emails: Map<string, EmailRow>): (id: string) => string {
  return (id) => {
    const { status = 'not stored', recipients = [] } = emails.get(id) ?? {};
    const ends = recipients.map((recipient) => `${recipient.status} ${recipient.response ?? 'without a response'}`);
    return `${id} (${[status, ...ends].join(', ')})`;
  };
}

/** How many second copies there have been so far. */
export function countSecondCopies(rig: Rig): number {
  return [...countCopies(rig).values()].reduce((sum, count) => sum + count - 1, 0);
}

/** Maps `<email id> <recipient>` to the number of copies that the mail servers have. */
function countCopies(rig: Rig): Map<string, number> {
  const copies = new Map<string, number>();
  for (const { messageId, to } of rig.handoffs())
    for (const address of to) {
      const copy = `${messageId.split('@')[0]} ${address}`;
      copies.set(copy, (copies.get(copy) ?? 0) + 1);
    }
  return copies;
}

function emailIdIn(copy: string): string {
  return copy.split(' ')[0] ?? '';
}

/**
 * An email is lost if a recipient has no copy and the row does not say why. While it is in progress, it is late, not
 * lost.
 */
function isLost(email: EmailRow | undefined, copies: Map<string, number>): boolean {
  if (!email) return true;
  if (email.status === 'scheduled' || email.status === 'canceled') return false;
  return email.recipients.some(({ address, status, response }) => {
    if (status === 'canceled') return false;
    // A server that has accepted a message can still send a bounce.
    if (status === 'sent' || status === 'bounced') {
      if (copies.has(`${email.id} ${address}`)) return false;
    }
    if (status === 'sent') return true;
    if (IN_PROGRESS.includes(status)) return !IN_PROGRESS.includes(email.status);
    return !(isRejectedPermanently(address) && ['bounced', 'failed'].includes(status) && response);
  });
}

/** A key must lead to only one response, and to only one email per first recipient in its request. */
async function countKeysUsedTwice({ ctx }: Rig, responses: readonly SendResponse[]): Promise<number> {
  const bodies = new Map<string, Set<string>>();
  for (const { key, status, body } of responses) {
    if (key === null || status !== 202) continue;
    bodies.set(key, (bodies.get(key) ?? new Set()).add(body));
  }
  const twoResponses = [...bodies.values()].filter((seen) => seen.size > 1).length;
  const sentWithKey = new Set(responses.flatMap(({ key, to, others }) => (key ? [to[0], ...others] : [])));
  const { rows } = await ctx.db.raw(
    'select address from email_recipients where position = 0 group by address having count(*) > 1',
  );
  const sentTwice = (rows as Array<{ address: string }>).filter(({ address }) => sentWithKey.has(address));
  return twoResponses + sentTwice.length;
}

/** Usage must count every recipient that was accepted and not canceled, and must never exceed a cap. */
async function checkUsage({ ctx }: Rig): Promise<{ overCap: number; failures: Failure[] }> {
  const { rows } = await ctx.db.raw(`
    select usage.workspace_id, usage.period, usage.used::int,
      (select count(*)::int from email_recipients join emails on emails.id = email_recipients.email_id
        where emails.workspace_id = usage.workspace_id and email_recipients.status <> 'canceled'
          and to_char(usage_day, 'YYYY-MM-DD') like usage.period || '%') as stored
    from usage`);
  const workspaces = await listWorkspaces(ctx.db, 1);
  const failures: Failure[] = [];
  let overCap = 0;
  for (const { workspace_id, period, used, stored } of rows) {
    failures.push(...expectThat(used === stored, `usage counts ${used} sends in ${period}, but ${stored} are stored`));
    const allowance = workspaces.find(({ id }) => id === workspace_id)?.allowance;
    const cap = period.length === 'YYYY-MM'.length ? allowance?.monthlyCap : allowance?.daily;
    overCap += Math.max(0, used - (cap ?? used));
  }
  failures.push(...expectThat(overCap === 0, `${overCap} sends are over a cap`));
  return { overCap, failures };
}

/**
 * No foreign key links an email to its rows in other tables, so the statements that write them must get the ids right.
 */
async function checkReferences({ ctx }: Rig): Promise<Failure[]> {
  const failures: Failure[] = [];
  const parts = [
    ...['deliveries', 'email_contents', 'email_attachments', 'email_recipients', 'email_tags'],
    'delivery_attempts',
  ];
  for (const part of parts) {
    const { rows } = await ctx.db.raw(
      `select count(*)::int as orphans from ?? as part
       where not exists (select from emails where id = part.email_id and workspace_id = part.workspace_id)`,
      [part],
    );
    const { orphans } = rows[0];
    failures.push(...expectThat(orphans === 0, `${orphans} rows of ${part} belong to no email of their workspace`));
  }
  const { rows } = await ctx.db.raw(`
    select count(*)::int as incomplete from emails
    where erased_at is null and not exists (select from email_contents where email_id = emails.id)
      or recipient_count <> (select count(*) from email_recipients where email_id = emails.id)
      or cardinality(tags) <> (select count(*) from email_tags where email_id = emails.id)
      or not exists (select from workspaces where id = emails.workspace_id)`);
  const { incomplete } = rows[0];
  failures.push(...expectThat(incomplete === 0, `${incomplete} emails lack content, recipients, tags or workspace`));
  return failures;
}

/** No workspace may send from another workspace's address. */
async function checkSenders({ ctx, handoffs }: Rig): Promise<Failure[]> {
  const { rows } = await ctx.db.raw(
    `select count(*)::int as count from emails join workspaces on workspaces.id = emails.workspace_id
     where domain_id is null and from_address <> slug || '@' || ?`,
    [PLATFORM_DOMAIN],
  );
  const foreign = handoffs().filter(({ from }) => !from.endsWith(`@${PLATFORM_DOMAIN}`));
  return [
    ...expectThat(rows[0].count === 0, `${rows[0].count} emails are from another workspace's address`),
    ...expectThat(foreign.length === 0, `${foreign.length} messages are from a foreign address: ${foreign[0]?.from}`),
  ];
}

/** Only unfinished emails may be in the queue, and no jobs may be left over. */
async function checkLeftovers({ ctx }: Rig): Promise<Failure[]> {
  const { rows } = await ctx.db.raw(
    `select count(*)::int as leftovers from emails full join deliveries on email_id = id
     where (email_id is not null) is distinct from (status in ('scheduled', 'queued', 'deferred'))`,
  );
  const { leftovers } = rows[0];
  let jobs = await countJobs(ctx.redis);
  const isEmpty = async () => {
    jobs = await countJobs(ctx.redis);
    return jobs.waiting + jobs.active === 0;
  };
  const isInTime = await until('the queue is empty', isEmpty, MAX_QUEUE_MS).then(
    () => true,
    () => false,
  );
  return [
    ...expectThat(
      leftovers === 0,
      `${leftovers} emails are finished but still in the queue, or unfinished but not in it`,
    ),
    ...expectInTime(
      isInTime,
      `after ${MAX_QUEUE_MS / 1_000} s, ${jobs.waiting} delivery jobs are still waiting and ${jobs.active} are active`,
    ),
  ];
}

function checkProcesses({ apis, workers, inbounds, canary, tenant }: Rig): Failure[] {
  const processes = [...apis, ...workers, ...inbounds];
  const deaths = processes.reduce((sum, each) => sum + each.unplannedDeaths(), 0);
  const logged = processes.flatMap(({ lines }) => lines).join('\n');
  const unhandled = logged.split('\n').filter((line) => /"(unhandled_rejection|uncaught_exception)"/.test(line));
  const secrets = [canary, '@rig.test', tenant.key.slice(30)].filter((secret) => logged.includes(secret));
  return [
    ...expectThat(deaths === 0, `processes died ${deaths} times without being killed`),
    ...processes.map((each) => each.restartError()).flatMap((error) => (error ? [toFailure(error)] : [])),
    ...processes
      .map((each) => ({ app: each.app, mb: each.memoryMb() }))
      .flatMap(({ app, mb }) =>
        expectThat(mb < MAX_MEMORY_MB, `the ${app} uses ${Math.round(mb)} MB; the limit is ${MAX_MEMORY_MB}`),
      ),
    ...secrets.flatMap((secret) => expectThat(false, `a log line contains ${secret}`)),
    ...unhandled.flatMap((line) => expectThat(false, `an error was not handled: ${line}`)),
  ];
}
