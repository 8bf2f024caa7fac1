import { type Mode, modes, type Scope } from '@posthorn/contract';
import { createKey, findKeyWithWorkspace, listAllKeys, revokeKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { limits } from '@posthorn/domain/limits';
import { isId } from '@posthorn/platform/values';
import { type Command, Option } from 'commander';
import { assertWorkspaceExists, type CliContext, type RunAction } from '../command-line/context.js';
import { notFound } from '../command-line/errors.js';
import { parseDomainIds, parseName, parseNetworks, parsePageSize, parseScopes } from '../command-line/options.js';
import { pick } from '../command-line/print.js';

export function addKeyCommands(key: Command, run: RunAction): void {
  key
    .command('create')
    .description('create an API key; the key is printed only once')
    .requiredOption('--workspace <id>', 'ID of the workspace that the key belongs to')
    .requiredOption('--name <name>', 'name of the key', parseName(limits.keyName.max))
    .requiredOption('--scopes <list>', 'comma-separated scopes, such as emails:send,templates:write', parseScopes)
    .addOption(
      new Option('--mode <mode>', 'live, or test for emails that are built but never sent')
        .choices(modes)
        .default('live'),
    )
    .option('--domains <ids>', 'comma-separated IDs of the only domains that the key may send from', parseDomainIds)
    .option(
      '--networks <list>',
      'comma-separated networks that the key may be used from, such as 192.0.2.0/24',
      parseNetworks,
    )
    .action((options) => run((ctx) => create(ctx, options)));

  key
    .command('list')
    .description('list the API keys of all workspaces or of one, newest first, including revoked keys')
    .option('--workspace <id>', 'ID of the workspace')
    .option('--limit <count>', 'maximum number of keys to list; all by default', parsePageSize)
    .option('--after <id>', 'list only keys that are older than the key with this ID')
    .action((options) => run((ctx) => list(ctx, options)));

  key
    .command('revoke')
    .description('revoke an API key; it stops working within a second')
    .argument('<id>', 'ID of the key')
    .action((id) => run((ctx) => revoke(ctx, id)));
}

type CreateOptions = {
  workspace: string;
  name: string;
  scopes: Scope[];
  mode: Mode;
  domains?: string[];
  networks?: string[];
};

async function create(ctx: CliContext, { workspace, domains, networks, ...fields }: CreateOptions) {
  await assertWorkspaceExists(ctx, workspace);
  const restrictions = { domainIds: domains ?? null, networks: networks ?? null };
  const { key, text } = await createKey(ctx, operator, workspace, { ...fields, ...restrictions, expiresAt: null });
  return { id: key.id, key: text };
}

type ListOptions = { workspace?: string; limit?: number; after?: string };

async function list(ctx: CliContext, { workspace, limit, after }: ListOptions) {
  if (workspace !== undefined) await assertWorkspaceExists(ctx, workspace);
  if (after !== undefined && !isId(after)) throw notFound('API key', after);
  const keys = await listAllKeys(ctx.db, workspace ?? null, { limit: limit ?? null, after: after ?? null });
  return keys.map((key) => ({
    ...pick(key, ['id', 'workspaceId', 'name', 'mode', 'hint', 'scopes', 'domainIds', 'networks']),
    ...pick(key, ['createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt']),
  }));
}

async function revoke(ctx: CliContext, id: string) {
  const owner = isId(id) ? await findKeyWithWorkspace(ctx.db, id, ctx.config.rateLimitPerMinute) : null;
  if (!owner) throw notFound('API key', id);
  await revokeKey(ctx, operator, { workspaceId: owner.workspace.id, id });
  return { id, revoked: true };
}
