import { reencryptSecrets } from '@posthorn/domain/key-rotation';
import { getSecretKeyId } from '@posthorn/platform/secrets';
import type { Command } from 'commander';
import type { CliContext, RunAction } from '../command-line/context.js';
import { CliError } from '../command-line/errors.js';

export function addSecretsCommands(secrets: Command, run: RunAction): void {
  secrets
    .command('reencrypt')
    .description('after you change SECRET_KEY, encrypt the stored secrets again with the new value')
    .action(() => run(reencrypt));
}

async function reencrypt(ctx: CliContext) {
  const { config } = ctx;
  if (config.secretKey === null)
    throw new CliError('configuration', 'SECRET_KEY is missing. Set it to the value that the API and the worker use.');
  const done = await reencryptSecrets(ctx);
  const { kinds: secrets, unreadable, rehashed: rehashedSuppressions } = done;
  const result = { secretKeyId: getSecretKeyId(config), rehashedSuppressions, secrets, unreadable };
  const left = unreadable.reduce((sum, { count }) => sum + count, 0);
  if (left === 0) return result;
  const advice = unreadable.some(({ problem }) => problem === 'missing_key')
    ? 'Add the earlier values of SECRET_KEY to SECRET_KEY_PREVIOUS, and run the command again.'
    : 'Their bytes have changed since they were stored. Restore these rows from a backup, or replace the DKIM keys and webhook secrets.';
  throw new CliError(
    'unreadable_secrets',
    `Some stored secrets cannot be decrypted and were left as they are: ${left}. ${advice}`,
    result,
  );
}
