import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { operator } from '@posthorn/domain/audit-log';
import { requestErasure } from '@posthorn/domain/erasure';
import type { Context } from '@posthorn/platform';
import { getSecretKeyId } from '@posthorn/platform/secrets';
import { closeTestContext, createTestWorkspace, openTestContext, untilWaiting } from '@posthorn/testing';
import { parseOutput, posthornCommand, posthornWith } from './posthorn.js';

const ERASURES = 450;
const NEW_KEY = 'a new secret that is only good for tests';

let ctx: Context;
let env: Record<string, string>;
beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'the command encrypts the secrets of all workspaces again' });
  await ctx.db('domain_keys').delete();
  env = {
    DATABASE_URL: ctx.config.databaseUrl,
    SECRET_KEY: NEW_KEY,
    SECRET_KEY_PREVIOUS: ctx.config.secretKey ?? '',
  };
  const { workspaceId } = await createTestWorkspace(ctx);
  for (let number = 0; number < ERASURES; number += 1)
    await requestErasure(ctx, operator, { workspaceId, address: `${number}@example.com` });
});
afterEach(() => closeTestContext(ctx));

const reencrypt = (more: Record<string, string> = {}) =>
  posthornWith({ ...env, ...more })('secrets', 'reencrypt', '--json');

const newId = () => getSecretKeyId({ secretKey: NEW_KEY });

test('a run that was killed is continued by the next one', async () => {
  const last = await ctx.db('erasures').select('id').orderBy('id', 'desc').first();
  const trx = await ctx.db.transaction();
  await trx('erasures').where({ id: last?.id }).forUpdate();
  const [file, ...args] = posthornCommand(['secrets', 'reencrypt']);
  const child = spawn(file, args, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
  await untilWaiting(ctx.db, 'Lock');
  child.kill('SIGKILL');
  await once(child, 'close');
  await trx.rollback();
  const counts = await ctx.db('erasures').count({ count: '*' }).where({ secret_key_id: newId() });
  expect(counts).toEqual([{ count: 400 }]);

  expect(parseOutput(await reencrypt())).toEqual({
    secret_key_id: newId(),
    rehashed_suppressions: 0,
    secrets: [
      { kind: 'dkim_key', reencrypted: 0, current: 0, unreadable: 0 },
      { kind: 'webhook_secret', reencrypted: 0, current: 0, unreadable: 0 },
      { kind: 'relay_url', reencrypted: 0, current: 0, unreadable: 0 },
      { kind: 'relay_secret', reencrypted: 0, current: 0, unreadable: 0 },
      { kind: 'erasure', reencrypted: 50, current: 400, unreadable: 0 },
    ],
    unreadable: [],
  });
});

test('it exits with 1 and says what is missing if it cannot decrypt something', async () => {
  const { code, stdout, stderr } = await reencrypt({ SECRET_KEY_PREVIOUS: '' });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    secrets: expect.arrayContaining([{ kind: 'erasure', reencrypted: 0, current: 0, unreadable: ERASURES }]),
    unreadable: [{ secret_key_id: getSecretKeyId(ctx.config), problem: 'missing_key', count: ERASURES }],
  });
  expect(JSON.parse(stderr)).toEqual({
    error: {
      code: 'unreadable_secrets',
      message: `Some stored secrets cannot be decrypted and were left as they are: ${ERASURES}. Add the earlier values of SECRET_KEY to SECRET_KEY_PREVIOUS, and run the command again.`,
    },
  });
});

test('it needs a SECRET_KEY that a process would accept', async () => {
  const refused = { '': 'SECRET_KEY is missing.', 'too short': 'SECRET_KEY is not valid.' };
  for (const [key, message] of Object.entries(refused)) {
    const { code, stdout, stderr } = await reencrypt({ SECRET_KEY: key });
    expect([code, stdout, JSON.parse(stderr).error.code]).toEqual([1, '', 'configuration']);
    expect(stderr).toContain(message);
  }
});
