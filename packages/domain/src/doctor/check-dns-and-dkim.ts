import {
  buildPlatformRecords,
  checkRecords,
  type DnsRecord,
  type Finding,
  type Findings,
  findActiveKey,
  listStoredKeys,
  missing,
  notChecked,
  verified,
} from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { createDns, type Dns } from '@posthorn/platform/network';
import { openSecret } from '@posthorn/platform/secrets';

/** A DNS record of the platform domain, and what is in DNS now. */
type CheckedPlatformRecord = {
  readonly type: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly finding: Finding;
};

/** Looks up the records of the platform domain. It creates no key; without one, the DKIM record is left out. */
export async function checkPlatformDomain(ctx: Pick<Context, 'config' | 'db'>): Promise<CheckedPlatformRecord[]> {
  // Two records are SPF records, so the kind of record is no key here.
  const records = buildPlatformRecords(ctx.config, await findActiveKey(ctx.db, null)).map((record, index) => ({
    ...record,
    key: `${index}`,
  }));
  const dns = createDns(ctx.config);
  try {
    const findings = { ...(await checkRecords(dns, records, {})), ...(await checkOwnSpf(dns, ctx.config, records)) };
    return records.map(({ key, type, name, required }) => ({
      type,
      name,
      isRequired: required,
      finding: findings[key] as Finding,
    }));
  } finally {
    dns.close();
  }
}

/** Only the operator knows which hosts the platform's own SPF record must list, so it only has to be there. */
async function checkOwnSpf(
  dns: Dns,
  { platformSenderDomain: name }: Context['config'],
  records: readonly DnsRecord[],
): Promise<Findings> {
  const own = records.find((record) => record.record === 'spf' && record.name === name);
  if (!own) return {};
  const answer = await dns.txt(name);
  if ('failure' in answer) return { [own.key]: { ...notChecked, failure: answer.failure } };
  const found = answer.values.filter((value) => value.startsWith('v=spf1'));
  const result = found.length === 1 ? verified : missing(`There are ${found.length} SPF records at ${name}. Keep one.`);
  return { [own.key]: { ...result, found, failure: null } };
}

/** The newest keys say enough, because all keys of one time were stored with the same SECRET_KEY. */
const MAX_KEYS = 1_000;

/** @returns how many stored DKIM keys were tried, and how many cannot be decrypted @throws Error without SECRET_KEY */
export async function checkDkimKeys({
  config,
  db,
}: Pick<Context, 'config' | 'db'>): Promise<{ tried: number; unreadable: number }> {
  const keys = await listStoredKeys(db, MAX_KEYS);
  const unreadable = keys.filter(({ id, privateKey }) => {
    try {
      openSecret(config, privateKey, id);
      return false;
    } catch {
      return true;
    }
  });
  return { tried: keys.length, unreadable: unreadable.length };
}
