import { checkDkimKeys } from '@posthorn/domain/doctor';
import type { CliContext } from '../context.js';
import { type Check, type CheckOutcome, failed, ok, skipped } from './check.js';

export function secretChecks(ctx: CliContext): Check[] {
  return [{ name: 'SECRET_KEY', run: () => checkSecretKey(ctx) }];
}

async function checkSecretKey(ctx: CliContext): Promise<CheckOutcome> {
  if (ctx.config.secretKey === null) return skipped('SECRET_KEY is not set');
  const found = await checkDkimKeys(ctx).catch(() => null);
  if (found === null) return skipped('Postgres cannot be read');
  const { tried, unreadable } = found;
  if (unreadable === 0) return ok(`It opens all ${tried} stored DKIM keys that were tried`);
  return failed(
    `It does not open ${unreadable} of ${tried} stored DKIM keys, so mail from those domains waits`,
    'Set SECRET_KEY to the value that they were stored with, or add that value to SECRET_KEY_PREVIOUS.',
  );
}
