import { createKey, findKeyWithWorkspace, isId, limits, revokeKey, type Scope } from '@posthorn/domain';
import type { Command } from 'commander';
import { unknownId } from '../failure.js';
import type { Operator } from '../operator.js';
import type { Run } from '../run.js';
import { nameValue, scopesValue } from '../values.js';
import { assertWorkspace } from './workspace.js';

export function declareKey(program: Command, run: Run): void {
  const key = program.command('key').description('the API keys');

  key
    .command('create')
    .description('make an API key; its text is printed this once and cannot be had again')
    .requiredOption('--workspace <id>', 'whose key it is')
    .requiredOption('--name <name>', 'its name', nameValue(limits.keyName.max))
    .requiredOption('--scopes <list>', 'what it may do, such as emails:send,templates:write', scopesValue)
    .action((options) => run((operator) => create(operator, options)));

  key
    .command('revoke')
    .description('end an API key; it stops working within a second')
    .argument('<id>', 'of the key')
    .action((id) => run((operator) => revoke(operator, id)));
}

type CreateOptions = { workspace: string; name: string; scopes: Scope[] };

async function create(operator: Operator, { workspace, name, scopes }: CreateOptions) {
  await assertWorkspace(operator, workspace);
  const { key, text } = await createKey(operator, workspace, { name, scopes, expiresAt: null });
  return { id: key.id, key: text };
}

async function revoke({ db, config, now }: Operator, id: string) {
  const owner = isId(id) ? await findKeyWithWorkspace(db, id, config.rateLimitPerMinute) : null;
  if (!owner) throw unknownId('API key', id);
  await revokeKey(db, owner.workspace.id, id, now());
  return { id, revoked: true };
}
