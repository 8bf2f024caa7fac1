import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSigningKey } from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor, posthornWith, runPosthorn } from './posthorn.js';

describe('posthorn domain', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornFor>;
  beforeAll(async () => {
    ctx = await openTestContext({
      ownDatabase: 'all workspaces share the key of the platform domain',
      config: { platformSenderDomain: 'platform.example' },
    });
    posthorn = posthornFor(ctx);
  });
  afterAll(() => closeTestContext(ctx));

  const create = async (name: string) => {
    const { workspaceId } = await createTestWorkspace(ctx);
    return parseOutput(await posthorn('domain', 'create', '--workspace', workspaceId, '--name', name, '--json'));
  };

  test('create adds a pending domain and verify marks it as verified', async () => {
    const domain = await create('Mail.Example.com');
    expect(domain).toMatchObject({ name: 'mail.example.com', status: 'pending', verified_at: null });
    const verified = parseOutput(await posthorn('domain', 'verify', domain.id, '--json'));
    expect(verified).toEqual({ ...domain, status: 'verified', verified_at: expect.stringMatching(/Z$/) });
  });

  test('verify refuses a domain that another workspace has verified', async () => {
    const [first, second] = [await create('taken.example'), await create('taken.example')];
    parseOutput(await posthorn('domain', 'verify', first.id, '--json'));
    const { code, stderr } = await posthorn('domain', 'verify', second.id, '--json');
    expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'conflict']);
  });

  test('create reports why a name is invalid', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const { code, stderr } = await posthorn('domain', 'create', '--workspace', workspaceId, '--name', 'localhost');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^posthorn: name must be a full domain name.*\n$/)]);
  });

  test('list prints the domains of all workspaces, newest first', async () => {
    const [older, newer] = [await create('older.example'), await create('newer.example')];
    expect(parseOutput(await posthorn('domain', 'list', '--json')).slice(0, 2)).toEqual([newer, older]);
  });

  test('verify reports an unknown ID', async () => {
    const id = newId();
    expect(await posthorn('domain', 'verify', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `posthorn: No domain has the ID ${id}.\n`,
    });
  });

  test('platform prints the DNS records, including the public key of the active DKIM key', async () => {
    const records = parseOutput(await posthorn('domain', 'platform', '--json'));
    const key = await findSigningKey({ ...ctx, signingKeys: new Map() }, null);
    expect(records.map(({ type, name, priority }: Record<string, unknown>) => [type, name, priority])).toEqual([
      ['TXT', `${key?.selector}._domainkey.platform.example`, null],
      ['TXT', 'platform.example', null],
      ['TXT', 'bounces.platform.example', null],
      ['MX', 'bounces.platform.example', 10],
      ['TXT', '_dmarc.platform.example', null],
    ]);
    expect(records[0].value).toMatch(/^"v=DKIM1; k=rsa; p=[A-Za-z0-9+/]+" "[A-Za-z0-9+/]+"$/);
    expect(records.slice(1).map(({ value }: { value: string }) => value)).toEqual([
      '"v=spf1 a:bounces.platform.example ~all"',
      '"v=spf1 include:platform.example ~all"',
      'bounces.platform.example',
      '"v=DMARC1; p=none"',
    ]);
    expect(parseOutput(await posthorn('domain', 'platform', '--json'))).toEqual(records);
    const { stdout } = await posthorn('domain', 'platform');
    expect(stdout).toContain(records[0].value);
  });

  test('platform fails without SECRET_KEY if it has to create a DKIM key', async () => {
    const fresh = await openTestContext({ ownDatabase: 'it deletes the key of the platform domain' });
    await fresh.db('domain_keys').delete();
    const { code, stderr } = await posthornWith({ DATABASE_URL: fresh.config.databaseUrl })('domain', 'platform');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^posthorn: SECRET_KEY is missing\. .*\n$/)]);
    await closeTestContext(fresh);
  });

  test('platform uses the SECRET_KEY of npm start to encrypt a DKIM key in the npm start database', async () => {
    const fresh = await openTestContext({ ownDatabase: 'it deletes the key of the platform domain' });
    await fresh.db('domain_keys').delete();
    const cwd = mkdtempSync(join(tmpdir(), 'posthorn-cli-'));
    mkdirSync(join(cwd, '.posthorn'));
    writeFileSync(join(cwd, '.posthorn/runtime.json'), JSON.stringify({ database_url: fresh.config.databaseUrl }));
    writeFileSync(join(cwd, '.posthorn/secret-key'), `${fresh.config.secretKey}\n`);
    parseOutput(await runPosthorn(['domain', 'platform', '--json'], { cwd }));
    expect((await findSigningKey({ ...fresh, signingKeys: new Map() }, null))?.domain).toBe(
      fresh.config.platformSenderDomain,
    );
    rmSync(cwd, { recursive: true });
    await closeTestContext(fresh);
  });

  test('show prints the DNS records and the events of a domain', async () => {
    const domain = await create('shown.example');
    parseOutput(await posthorn('domain', 'verify', domain.id, '--json'));
    const shown = parseOutput(await posthorn('domain', 'show', domain.id, '--json'));
    expect(shown).toMatchObject({ id: domain.id, status: 'verified', checked_at: null });
    expect(shown.records.map(({ name, status }: Record<string, unknown>) => [name, status])).toContainEqual([
      'bounces.shown.example',
      'pending',
    ]);
    const spf = { status: 'wrong', found: ['v=spf1 \u001b[2J -all'], message: 'Not ours.', failure: null };
    await ctx
      .db('sending_domains')
      .where({ id: domain.id })
      .update({ findings: JSON.stringify({ spf }) });
    const checked = parseOutput(await posthorn('domain', 'show', domain.id, '--json'));
    const record = checked.records.find(({ status }: Record<string, unknown>) => status === 'wrong');
    expect(record).toMatchObject({ found: '"v=spf1 \ufffd[2J -all"', message: 'Not ours.' });
    expect(shown.events).toEqual([
      { created_at: shown.verified_at, type: 'verified', detail: 'Verified by the operator' },
    ]);
    expect((await posthorn('domain', 'show', newId())).code).toBe(1);
  });
});
