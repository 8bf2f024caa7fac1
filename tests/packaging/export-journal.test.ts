import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { operator } from '@posthorn/domain/audit-log';
import { requestErasure } from '@posthorn/domain/erasure';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext, until } from '@posthorn/testing';
import { posthornCommand } from '../../apps/cli/test/posthorn.js';

let ctx: Context;
const folder = mkdtempSync(join(tmpdir(), 'posthorn-journal-'));
beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'it counts the erasures of all workspaces, and renames their table' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await closeTestContext(ctx);
});

/** A folder for PATH with the posthorn command. */
function commandFolder(): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const command = posthornCommand([]).map((word) => `'${word}'`);
  writeFileSync(join(bin, 'posthorn'), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 });
  return bin;
}

test('the profile "backup" keeps the newest complete journal of erasures', async () => {
  const { workspaceId } = await createTestWorkspace(ctx);
  await requestErasure(ctx, operator, { workspaceId, address: 'jane@example.com' });
  const backups = join(folder, 'backups');
  mkdirSync(backups);
  const env = {
    PATH: [commandFolder(), process.env.PATH].join(delimiter),
    DATABASE_URL: ctx.config.databaseUrl,
    FOLDER: backups,
    INTERVAL_SECONDS: '1',
  };
  const script = join(import.meta.dirname, '../../deploy/compose/export-journal');
  const child = spawn('sh', [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const journal = () => readFileSync(join(backups, 'erasures.ndjson'), 'utf8');
  await until(() => output.includes('journal_written'));
  expect(journal()).toContain('"erasures":1}');

  await ctx.db.raw('alter table erasures rename to hidden');
  await until(() => output.includes('journal_failed'));
  expect(journal()).toContain('"erasures":1}');
  await ctx.db.raw('alter table hidden rename to erasures');
  await requestErasure(ctx, operator, { workspaceId, address: 'joe@example.com' });
  await until(() => journal().includes('"erasures":2}'));

  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  expect(readdirSync(backups)).toContain('erasures.ndjson');
});
