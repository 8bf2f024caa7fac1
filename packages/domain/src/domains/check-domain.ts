import { type Actor, recordChange, system } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import { createDns } from '@posthorn/platform/network';
import type { Knex } from 'knex';
import { checkRecords } from './check-records.js';
import { type DomainKey, deleteKeysRetiredBefore, promotePendingKey } from './dkim-key-store.js';
import { computeRetirementCutoff, ensureActiveKey, listPublishedKeys } from './dkim-keys.js';
import { buildDkimRecord, buildDnsRecords } from './dns-records.js';
import { type DomainEvent, insertDomainEvent } from './domain-event-store.js';
import { claimDueDomains, lockDomain, updateDomainRow } from './domain-store.js';
import { type Finding, type Findings, isNameTaken, type SendingDomain, toDomainTarget } from './sending-domain.js';
import { computeNextCheckAt, decideVerification, describeCheckFailure, toCheckResult } from './verification-rules.js';

const MAX_DOMAINS_AT_ONCE = 20;

/** Longer than any check takes, so that no other process checks the domain at the same time. */
const CLAIM_MS = 300_000;

/**
 * Checks domains that are due, up to 20 at a time.
 * @returns how many it checked; if that is 20, more may be due
 */
export async function checkDueDomains(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): Promise<number> {
  const now = ctx.now();
  const claimedUntil = new Date(now.getTime() + CLAIM_MS);
  const due = await claimDueDomains(ctx.db, { now, limit: MAX_DOMAINS_AT_ONCE, claimedUntil });
  await Promise.all(
    due.map(async (domain) => {
      try {
        const checked = await checkDomain(ctx, system, domain);
        if (checked && checked.domain.status !== domain.status)
          ctx.log.info({ domainId: domain.id, status: checked.domain.status }, 'domain_status_changed');
      } catch (error) {
        ctx.log.warn({ error, domainId: domain.id }, 'domain_check_failed');
      }
    }),
  );
  return due.length;
}

/**
 * The domain after a check. `isTaken` means that the check passed, but another workspace has already verified the
 * domain.
 */
type CheckedDomain = { readonly domain: SendingDomain; readonly isTaken: boolean };

type CheckContext = Pick<Context, 'config' | 'db' | 'now'>;

/**
 * Checks all records of a domain in DNS and stores the result.
 * @param actor who asked for the check, as the audit log names them
 * @returns null when the domain was deleted in the meantime
 */
export async function checkDomain(
  ctx: CheckContext,
  actor: Actor,
  domain: SendingDomain,
): Promise<CheckedDomain | null> {
  const findings = await runCheck(ctx, domain);
  try {
    const checked = await saveCheck(ctx, actor, domain.id, { findings, mayVerify: true });
    return checked && { domain: checked, isTaken: false };
  } catch (error) {
    if (!isNameTaken(error)) throw error;
    const checked = await saveCheck(ctx, actor, domain.id, { findings, mayVerify: false });
    return checked && { domain: checked, isTaken: true };
  }
}

async function runCheck(ctx: CheckContext, domain: SendingDomain): Promise<Findings> {
  await ensureActiveKey(ctx, domain.id);
  const keys = await listPublishedKeys(ctx.db, domain.id, ctx.now());
  const dns = createDns(ctx.config);
  try {
    return await checkRecords(dns, buildDnsRecords(domain, keys, ctx.config), domain.findings);
  } finally {
    dns.close();
  }
}

/**
 * Stores the findings of a check and their consequences in one transaction: a new key becomes active if its record was
 * found, the domain may be verified or withdrawn, and the next check is scheduled.
 * @param actor who asked for the check, as the audit log names them
 * @param mayVerify false if another workspace has verified the name
 * @returns null when the domain was deleted in the meantime
 * @throws the unique violation from Postgres when the check passed but another workspace has verified the name
 */
function saveCheck(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  actor: Actor,
  id: string,
  { findings, mayVerify }: { findings: Findings; mayVerify: boolean },
): Promise<SendingDomain | null> {
  return ctx.db.transaction(async (trx) => {
    const locked = await lockDomain(trx, id);
    if (!locked) return null;
    const now = ctx.now();
    const { domain, verification } = locked;
    const keys = await promoteSeenKey(trx, actor, domain, { findings, now });
    const records = buildDnsRecords(domain, keys, ctx.config);
    const result = toCheckResult(records, findings);
    const change = decideVerification(verification, result === 'passed' && !mayVerify ? 'unknown' : result, now);
    const detail = change.event === 'withdrawn' ? describeCheckFailure(records, findings) : null;
    const hasAnswer = Object.values(findings).some(({ failure }) => failure === null);
    const pendingKeySince = keys.find(({ state }) => state === 'pending')?.createdAt ?? null;
    const nextCheckAt = computeNextCheckAt(change.verification, { pendingKeySince, result, now });
    const checkedAt = hasAnswer ? now : domain.checkedAt;
    if (change.event) await recordStatus(trx, actor, domain, { type: change.event, detail, createdAt: now });
    return updateDomainRow(trx, id, { ...change.verification, findings, checkedAt, nextCheckAt });
  });
}

/** Writes the event and the audit entry of a domain that is now verified or withdrawn. */
async function recordStatus(
  trx: Knex.Transaction,
  actor: Actor,
  domain: SendingDomain,
  event: DomainEvent & { readonly type: 'verified' | 'withdrawn' },
): Promise<void> {
  await insertDomainEvent(trx, domain, event);
  await recordChange(trx, actor, {
    workspaceId: domain.workspaceId,
    action: `domain.${event.type}`,
    target: toDomainTarget(domain),
    before: { status: domain.status },
    after: { status: event.type },
  });
}

/** Makes a pending key active if its record was found. @returns the keys afterwards */
async function promoteSeenKey(
  trx: Knex.Transaction,
  actor: Actor,
  domain: SendingDomain,
  { findings, now }: { findings: Findings; now: Date },
): Promise<DomainKey[]> {
  await deleteKeysRetiredBefore(trx, domain.id, computeRetirementCutoff(now));
  const keys = await listPublishedKeys(trx, domain.id, now);
  const pending = keys.find(({ state }) => state === 'pending');
  if (!pending || !wasFound(findings[buildDkimRecord(domain.name, pending).key])) return keys;
  await promotePendingKey(trx, domain.id, now);
  await insertDomainEvent(trx, domain, {
    type: 'key_rotated',
    detail: `Now signing with ${pending.selector}`,
    createdAt: now,
  });
  const active = keys.find(({ state }) => state === 'active');
  await recordChange(trx, actor, {
    workspaceId: domain.workspaceId,
    action: 'domain.key_activated',
    target: toDomainTarget(domain),
    before: { active_selector: active?.selector, pending_selector: pending.selector },
    after: { active_selector: pending.selector, pending_selector: null },
  });
  return listPublishedKeys(trx, domain.id, now);
}

/** Whether this check found the record. A finding with a failure comes from an earlier check. */
function wasFound(finding: Finding | undefined): boolean {
  return finding?.status === 'verified' && finding.failure === null;
}
