import { countJobs, listWorkspaces } from '@posthorn/domain';
import { percentile } from '@posthorn/testing';
import { emailIdOf, type SendResponse } from './client.js';
import type { Rig } from './open-rig.js';
import { isRejectedPermanently } from './recipient-behaviour.js';
import { until } from './until.js';

const PLATFORM_DOMAIN = 'posthorn.localhost';

/**
 * A bell whose reply to the worker got lost is found stale within this time: BullMQ locks it for 30 s, looks
 * every 30 s, and takes it back the second time it sees it unlocked. Its mail does not wait for that.
 */
const QUEUE_MS = 100_000;

/** Until a process, or the service after a fault of its servers, is useful again. */
const MAX_RECOVERY_MS = 10_000;

/** What a process may hold, of the leanest machines one would run it on. */
const MAX_MEMORY_MB = 400;

/** What a scenario did to the mail, judged by the client's ledger, the mail server's and the database. */
export type OracleResult = {
  readonly accepted: number;
  /** Accepted emails that are neither handed over nor ended with a reason. */
  readonly lost: number;
  /** Handovers of one message to one recipient beyond the first. */
  readonly secondCopies: number;
  /** Attempts of which nobody knows whether the server took the message. */
  readonly ambiguous: number;
  /** Sends counted beyond a cap, and emails beyond the first of a key. */
  readonly overCap: number;
  /** Longest time to being useful again, in ms. */
  readonly recoveryMs: number;
  /** Slowest 1 % of the 503s, in ms; null when there were none. */
  readonly p99Of503Ms: number | null;
  /** Every promise that was broken, as a sentence. */
  readonly violations: readonly string[];
};

type Row = {
  id: string;
  status: string;
  ambiguous: number;
  recipients: Array<{ address: string; status: string; response: string | null }>;
};

/** Looks once everything has settled, for all that docs/guarantees.md lists. */
export async function runOracles(rig: Rig): Promise<OracleResult> {
  const violations: string[] = [];
  const check = (holds: boolean, sentence: string) => holds || violations.push(sentence);
  const answers = rig.client.journal.entries;
  const accepted = answers.filter(({ status }) => status === 202);
  const rows = await readRows(rig);
  const copies = countCopies(rig);

  const lost = accepted.filter((answer) => isLost(rows.get(emailIdOf(answer)), copies));
  check(lost.length === 0, `${lost.length} accepted emails are lost: ${lost.slice(0, 3).map(emailIdOf)}`);

  const moving = [...rows.values()].filter(({ status }) => ['queued', 'sending', 'deferred'].includes(status));
  check(moving.length === 0, `${moving.length} emails have not come to an end`);

  const doubled = [...copies].filter(([, times]) => times > 1);
  const unmarked = doubled.filter(([copy, times]) => times - 1 > (rows.get(emailOf(copy))?.ambiguous ?? 0));
  check(unmarked.length === 0, `${unmarked.length} copies without an ambiguous attempt each: ${unmarked[0]?.[0]}`);

  const unknown = rig.smtp.handoffs.filter(({ messageId }) => !rows.has(messageId.split('@')[0] ?? ''));
  check(unknown.length === 0, `${unknown.length} messages of no stored email were handed over`);

  const keysUsedTwice = await countKeysUsedTwice(rig, answers);
  check(keysUsedTwice === 0, `${keysUsedTwice} keys made more than one email`);
  const overCap = await checkUsage(rig, check);
  await checkRemains(rig, check);
  await checkReferences(rig, check);
  checkLogs(rig, check);
  const processes = [...rig.apis, ...rig.workers];
  const deaths = processes.reduce((sum, supervised) => sum + supervised.unplannedDeaths(), 0);
  check(deaths === 0, `${deaths} processes ended by themselves`);
  const recoveryMs = Math.max(0, ...rig.recoveries, ...processes.flatMap((supervised) => supervised.recoveries));
  check(recoveryMs < MAX_RECOVERY_MS, `it took ${Math.round(recoveryMs)} ms to recover`);

  return {
    accepted: new Set(accepted.map(emailIdOf)).size,
    lost: lost.length,
    secondCopies: countSecondCopies(rig),
    ambiguous: [...rows.values()].reduce((sum, row) => sum + row.ambiguous, 0),
    overCap: overCap + keysUsedTwice,
    recoveryMs,
    p99Of503Ms: percentile(
      answers.filter(({ status }) => status === 503).map(({ ms }) => ms),
      0.99,
    ),
    violations,
  };
}

type Check = (holds: boolean, sentence: string) => unknown;

async function readRows({ ctx }: Rig): Promise<Map<string, Row>> {
  const { rows } = await ctx.db.raw(`
    select emails.id, emails.status,
      (select count(*)::int from delivery_attempts as tried where tried.email_id = emails.id and outcome = 'ambiguous')
        as ambiguous,
      (select json_agg(json_build_object('address', address, 'status', status, 'response', smtp_response))
        from email_recipients as recipient where recipient.email_id = emails.id) as recipients
    from emails`);
  return new Map(rows.map((row: Row) => [row.id, row]));
}

/** No foreign key holds the rows of an email to it: the statements that write them do. */
async function checkReferences({ ctx }: Rig, check: Check): Promise<void> {
  const parts = ['email_contents', 'email_recipients', 'email_tags', 'delivery_attempts', 'email_events'];
  for (const part of parts) {
    const { rows } = await ctx.db.raw(
      `select count(*)::int as strays from ?? as part
       where not exists (select from emails where id = part.email_id and workspace_id = part.workspace_id)`,
      [part],
    );
    check(rows[0].strays === 0, `${rows[0].strays} rows of ${part} belong to no email of their workspace`);
  }
  const { rows } = await ctx.db.raw(`
    select count(*)::int as bare from emails
    where not exists (select from email_contents where email_id = emails.id)
      or recipient_count <> (select count(*) from email_recipients where email_id = emails.id)
      or cardinality(tags) <> (select count(*) from email_tags where email_id = emails.id)
      or not exists (select from workspaces where id = emails.workspace_id)`);
  check(rows[0].bare === 0, `${rows[0].bare} emails lack their content, recipients, tags or workspace`);
}

/** Handovers beyond the first of each message to each recipient, so far. */
export function countSecondCopies(rig: Rig): number {
  return [...countCopies(rig).values()].reduce((sum, times) => sum + times - 1, 0);
}

/** `<email id> <recipient>` -> how many times the server has it. */
function countCopies({ smtp }: Rig): Map<string, number> {
  const copies = new Map<string, number>();
  for (const { messageId, to } of smtp.handoffs)
    for (const address of to) {
      const copy = `${messageId.split('@')[0]} ${address}`;
      copies.set(copy, (copies.get(copy) ?? 0) + 1);
    }
  return copies;
}

function emailOf(copy: string): string {
  return copy.split(' ')[0] ?? '';
}

/**
 * Whoever the server would take mail for has it, unless it was withdrawn; for the others the record says
 * why not.
 */
function isLost(row: Row | undefined, copies: Map<string, number>): boolean {
  if (!row) return true;
  if (row.status === 'scheduled' || row.status === 'canceled') return false;
  return row.recipients.some(({ address, status, response }) => {
    if (status === 'canceled') return false;
    if (status === 'sent') return !copies.has(`${row.id} ${address}`);
    return !(isRejectedPermanently(address) && ['bounced', 'failed'].includes(status) && response);
  });
}

/** One key, one email, one answer. */
async function countKeysUsedTwice({ ctx }: Rig, answers: readonly SendResponse[]): Promise<number> {
  const bodies = new Map<string, Set<string>>();
  for (const { key, status, body } of answers) {
    if (key === null || status !== 202) continue;
    bodies.set(key, (bodies.get(key) ?? new Set()).add(body));
  }
  const twoAnswers = [...bodies.values()].filter((seen) => seen.size > 1).length;
  const keyOf = new Map(answers.flatMap(({ key, to }) => (key && to[0] ? [[to[0], key] as const] : [])));
  const { rows } = await ctx.db.raw('select address from email_recipients where position = 0');
  const emails = new Map<string, number>();
  for (const { address } of rows as Array<{ address: string }>) {
    const key = keyOf.get(address);
    if (key) emails.set(key, (emails.get(key) ?? 0) + 1);
  }
  return twoAnswers + [...emails.values()].filter((count) => count > 1).length;
}

/** What is counted is what was accepted and not canceled; never more than a cap allows. @returns sends over a cap */
async function checkUsage({ ctx }: Rig, check: Check): Promise<number> {
  const { rows } = await ctx.db.raw(`
    select usage.workspace_id, usage.period, usage.used::int,
      (select count(*)::int from email_recipients join emails on emails.id = email_recipients.email_id
        where emails.workspace_id = usage.workspace_id and email_recipients.status <> 'canceled'
          and to_char(usage_day, 'YYYY-MM-DD') like usage.period || '%') as stored
    from usage`);
  const workspaces = await listWorkspaces(ctx.db, 1);
  let over = 0;
  for (const { workspace_id, period, used, stored } of rows) {
    check(used === stored, `usage of ${period} says ${used}, but ${stored} recipients are stored`);
    const allowance = workspaces.find(({ id }) => id === workspace_id)?.allowance;
    const cap = period.length === 'YYYY-MM'.length ? allowance?.monthlyCap : allowance?.daily;
    over += Math.max(0, used - (cap ?? used));
  }
  check(over === 0, `${over} sends over a cap`);
  return over;
}

/** Nothing may be left lying about: leases, jobs of the queue, memory. And nobody sends as somebody else. */
async function checkRemains(rig: Rig, check: Check): Promise<void> {
  const { rows } = await rig.ctx.db.raw('select count(*)::int as leases from emails where lease_until is not null');
  check(rows[0].leases === 0, `${rows[0].leases} leases are left`);

  let jobs = await countJobs(rig.ctx.redis);
  const isIdle = async () => {
    jobs = await countJobs(rig.ctx.redis);
    return jobs.waiting + jobs.active === 0;
  };
  await until('the queue is empty', isIdle, QUEUE_MS).catch((error: Error) =>
    check(false, `${error.message}: ${jobs.waiting} jobs wait, ${jobs.active} are active`),
  );

  for (const supervised of [...rig.apis, ...rig.workers]) {
    const mb = supervised.memoryMb();
    check(mb < MAX_MEMORY_MB, `the ${supervised.app} holds ${Math.round(mb)} MB`);
  }

  const { rows: senders } = await rig.ctx.db.raw(
    `select count(*)::int as foreign_senders from emails join workspaces on workspaces.id = emails.workspace_id
     where domain_id is null and from_address <> slug || '@' || ?`,
    [PLATFORM_DOMAIN],
  );
  check(senders[0].foreign_senders === 0, `${senders[0].foreign_senders} emails are from another workspace's address`);
  const strangers = rig.smtp.handoffs.filter(({ from }) => !from.endsWith(`@${PLATFORM_DOMAIN}`));
  check(strangers.length === 0, `${strangers.length} messages say that they are from ${strangers[0]?.from}`);
}

/** No secret, body or recipient in a log line, no rejection that nobody handled. */
function checkLogs({ apis, workers, canary, tenant }: Rig, check: Check): void {
  const logged = [...apis, ...workers].flatMap(({ lines }) => lines).join('\n');
  for (const secret of [canary, '@rig.test', tenant.key.slice(30)])
    check(!logged.includes(secret), `a log line holds ${secret}`);
  check(!logged.includes('unhandled_rejection'), 'a rejection was not handled');
}
