import type { Actor } from '@posthorn/domain/audit-log';
import type { Context } from '@posthorn/platform';
import type { Findings } from '../domain/finding.js';
import { isNameTaken } from '../domain/name-taken.js';
import type { SendingDomain } from '../domain/sending-domain.js';
import { ensureActiveKey } from '../keys/ensure-active-key.js';
import { listPublishedKeys } from '../keys/published-keys.js';
import { recordsOf } from '../records/dns-records.js';
import { checkRecords } from './check-records.js';
import { openDns } from './dns.js';
import { saveCheck } from './save-check.js';

/**
 * The domain after a check. `isTaken` means that the check passed, but another workspace has already verified the
 * domain.
 */
export type CheckedDomain = { readonly domain: SendingDomain; readonly isTaken: boolean };

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
  const dns = openDns(ctx.config);
  try {
    return await checkRecords(dns, recordsOf(domain, keys, ctx.config), domain.findings);
  } finally {
    dns.close();
  }
}
