import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, runPosthorn } from './posthorn.js';

let source: Context;
let target: Context;
beforeAll(async () => {
  const ownDatabase = 'a workspace moves from one database to another';
  [source, target] = [await openTestContext({ ownDatabase }), await openTestContext({ ownDatabase })];
});
afterAll(async () => {
  await closeTestContext(source);
  await closeTestContext(target);
});

test('a workspace moves to the database that a file names, so no password is on the command line', async () => {
  const { workspaceId } = await createTestWorkspace(source);
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-move-'));
  const file = join(folder, 'url');
  await writeFile(file, `${target.config.databaseUrl}\n`);
  const move = (env: Record<string, string>) =>
    runPosthorn(['workspace', 'move', workspaceId, '--grace', '0', '--json'], {
      env: { DATABASE_URL: source.config.databaseUrl, ...env },
    });

  const refused = await move({});
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stderr).error.message).toMatch(/^MOVE_DATABASE_URL is missing. Set it, or/);
  expect(JSON.parse((await move({ MOVE_DATABASE_URL: 'two.example' })).stderr).error.message).toMatch(/is not valid/);

  const moved = await move({ MOVE_DATABASE_URL_FILE: file });
  await rm(folder, { recursive: true });
  expect(parseOutput(moved)).toEqual({ workspace_id: workspaceId, moved: true, rows: expect.any(Number) });
  expect(await target.db('workspaces').where({ id: workspaceId }).first('move_state')).toEqual({ move_state: null });
});
