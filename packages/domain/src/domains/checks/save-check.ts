import { type Actor, recordChange } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import type { Knex } from 'knex';
import { type DomainEvent, insertDomainEvent } from '../domain/domain-event-store.js';
import type { Finding, Findings } from '../domain/finding.js';
import type { SendingDomain } from '../domain/sending-domain.js';
import { lockDomain, writeFindings, writeNextCheck, writeVerification } from '../domain/verification-store.js';
import { domainTarget } from '../domain-target.js';
import type { DomainKey } from '../keys/domain-key.js';
import { deleteKeysRetiredBefore, promotePendingKey } from '../keys/domain-key-store.js';
import { listPublishedKeys, retirementCutoff } from '../keys/published-keys.js';
import { dkimRecord, recordsOf } from '../records/dns-records.js';
import { nextCheckAt } from './next-check-at.js';
import { reasonOfFailure, resultOfCheck, verificationAfter } from './verification.js';

/**
 * Stores the findings of a check and their consequences in one transaction: a new key becomes active if its record was
 * found, the domain may be verified or withdrawn, and the next check is scheduled.
 * @param actor who asked for the check, as the audit log names them
 * @param mayVerify false if another workspace has verified the name
 * @returns null when the domain was deleted in the meantime
 * @throws the unique violation from Postgres when the check passed but another workspace has verified the name
 */
export function saveCheck(
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
    const records = recordsOf(domain, keys, ctx.config);
    const result = resultOfCheck(records, findings);
    const change = verificationAfter(verification, result === 'passed' && !mayVerify ? 'unknown' : result, now);
    const detail = change.event === 'withdrawn' ? reasonOfFailure(records, findings) : null;
    const hasAnswer = Object.values(findings).some(({ failure }) => failure === null);
    await writeFindings(trx, id, { findings, checkedAt: hasAnswer ? now : domain.checkedAt });
    const pendingKeySince = keys.find(({ state }) => state === 'pending')?.createdAt ?? null;
    await writeNextCheck(trx, id, nextCheckAt(change.verification, { pendingKeySince, result, now }));
    if (change.event) await recordStatus(trx, actor, domain, { type: change.event, detail, createdAt: now });
    return writeVerification(trx, id, change.verification);
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
    target: domainTarget(domain),
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
  await deleteKeysRetiredBefore(trx, domain.id, retirementCutoff(now));
  const keys = await listPublishedKeys(trx, domain.id, now);
  const pending = keys.find(({ state }) => state === 'pending');
  if (!pending || !wasFound(findings[dkimRecord(domain.name, pending).key])) return keys;
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
    target: domainTarget(domain),
    before: { active_selector: active?.selector, pending_selector: pending.selector },
    after: { active_selector: pending.selector, pending_selector: null },
  });
  return listPublishedKeys(trx, domain.id, now);
}

/** Whether this check found the record. A finding with a failure comes from an earlier check. */
function wasFound(finding: Finding | undefined): boolean {
  return finding?.status === 'verified' && finding.failure === null;
}
