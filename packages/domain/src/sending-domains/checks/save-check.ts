import type { Knex } from 'knex';
import type { Context } from '../../context.js';
import { insertDomainEvent } from '../domain/domain-event-store.js';
import type { Finding, Findings } from '../domain/finding.js';
import type { SendingDomain } from '../domain/sending-domain.js';
import { lockDomain, writeFindings, writeNextCheck, writeVerification } from '../domain/verification-store.js';
import type { DomainKey } from '../keys/domain-key.js';
import { deleteKeysRetiredBefore, promotePendingKey } from '../keys/domain-key-store.js';
import { listPublishedKeys, retirementCutoff } from '../keys/published-keys.js';
import { dkimRecord, recordsOf } from '../records/dns-records.js';
import { nextCheckAt } from './check-schedule.js';
import { resultOfCheck, verificationAfter } from './verification.js';

/**
 * Writes what a check found and what follows from it: a new key signs once its record was seen, the
 * domain is verified or withdrawn, the next check has its time. All of it or nothing.
 * @param mayVerify false where the name is known to be verified by another workspace
 * @returns null when the domain was deleted meanwhile
 * @throws the database's unique violation when it is to be verified, and another workspace has the name verified
 */
export function saveCheck(
  ctx: Pick<Context, 'config' | 'db' | 'now'>,
  id: string,
  { findings, mayVerify }: { findings: Findings; mayVerify: boolean },
): Promise<SendingDomain | null> {
  return ctx.db.transaction(async (trx) => {
    const known = await lockDomain(trx, id);
    if (!known) return null;
    const now = ctx.now();
    const { domain, verification } = known;
    const keys = await promoteSeenKey(trx, domain, { findings, now });
    const records = recordsOf(domain, keys, ctx.config.platformSenderDomain);
    const result = resultOfCheck(records, findings);
    const move = verificationAfter(verification, result === 'passed' && !mayVerify ? 'unknown' : result, now);
    if (move.event) await insertDomainEvent(trx, domain, { type: move.event, detail: null, createdAt: now });
    const hasAnswer = Object.values(findings).some(({ failure }) => failure === null);
    await writeFindings(trx, id, { findings, checkedAt: hasAnswer ? now : domain.checkedAt });
    const pendingKeySince = keys.find(({ state }) => state === 'pending')?.createdAt ?? null;
    await writeNextCheck(trx, id, nextCheckAt(move.verification, { pendingKeySince, result, now }));
    return writeVerification(trx, id, move.verification);
  });
}

/** @returns the keys as they are now */
async function promoteSeenKey(
  trx: Knex,
  domain: SendingDomain,
  { findings, now }: { findings: Findings; now: Date },
): Promise<DomainKey[]> {
  await deleteKeysRetiredBefore(trx, domain.id, retirementCutoff(now));
  const keys = await listPublishedKeys(trx, domain.id, now);
  const pending = keys.find(({ state }) => state === 'pending');
  if (!pending || !isThere(findings[dkimRecord(domain.name, pending).key])) return keys;
  await promotePendingKey(trx, domain.id, now);
  await insertDomainEvent(trx, domain, { type: 'key_rotated', detail: `to ${pending.selector}`, createdAt: now });
  return listPublishedKeys(trx, domain.id, now);
}

/** Seen by this very check. */
function isThere(finding: Finding | undefined): boolean {
  return finding?.status === 'verified' && finding.failure === null;
}
