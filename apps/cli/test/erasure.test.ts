import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operator } from '@posthorn/domain/audit-log';
import { findErasure, requestErasure } from '@posthorn/domain/erasure';
import type { Context } from '@posthorn/platform';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor, posthornProcessFor } from './posthorn.js';

let ctx: Context;
let workspaceId: string;
beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'the command exports and repeats the erasures of all workspaces' });
  ({ workspaceId } = await createTestWorkspace(ctx));
});
afterAll(() => closeTestContext(ctx));

const directory = mkdtempSync(join(tmpdir(), 'journal-'));
const writeJournal = (name: string, text: string) => {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
};

test('a journal can be repeated on a database that has lost the erasures', async () => {
  const posthorn = posthornFor(ctx);
  // It writes the journal to standard output itself.
  const ownProcess = posthornProcessFor(ctx);
  expect(await ownProcess('erasure', 'export')).toEqual({
    code: 0,
    stdout: '{"object":"erasure_export_end","erasures":0}\n',
    stderr: '',
  });
  const { id } = await requestErasure(ctx, operator, { workspaceId, address: 'jane@example.com' });
  const exported = await ownProcess('erasure', 'export', '--json');
  expect(exported.stdout).toMatch(/^\{"object":"erasure",.*\}\n\{"object":"erasure_export_end","erasures":1\}\n$/);
  expect(exported.stdout).not.toContain('jane');
  await ctx.db('erasures').delete();
  const file = writeJournal('journal.ndjson', exported.stdout);
  const repeated = await posthorn('erasure', 'repeat', '--file', file, '--json');
  expect(parseOutput(repeated)).toEqual({ repeated: 1, without_workspace: 0, waiting_emails: 0 });
  expect(await findErasure(ctx.db, workspaceId, id)).toMatchObject({ status: 'finished' });
  expect(parseOutput(await posthorn('erasure', 'repeat', '--json'))).toMatchObject({ repeated: 1 });
});

test('a file that is not a journal is refused', async () => {
  const posthorn = posthornFor(ctx);
  const refused = await posthorn('erasure', 'repeat', '--file', writeJournal('other.txt', 'hello\n'));
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('Line 1 is not an erasure');
  const cut = await posthorn('erasure', 'repeat', '--file', writeJournal('empty.ndjson', ''));
  expect([cut.code, cut.stderr]).toEqual([1, expect.stringContaining('so it is not complete')]);
  const missing = await posthorn('erasure', 'repeat', '--file', join(directory, 'missing'));
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('Cannot read the file')]);
});
