import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, newId, signingKeyFinder } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { documentOf, posthornOn, runPosthorn } from './posthorn.js';

describe('posthorn domain', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornOn>;
  beforeAll(async () => {
    ctx = await openTestContext({ config: { platformSenderDomain: 'platform.example' } });
    posthorn = posthornOn(ctx);
  });
  afterAll(() => closeTestContext(ctx));

  const create = async (name: string) => {
    const { workspaceId } = await createTestWorkspace(ctx);
    return documentOf(await posthorn('domain', 'create', '--workspace', workspaceId, '--name', name, '--json'));
  };

  test('create claims a domain and verify takes it for proven', async () => {
    const domain = await create('Mail.Example.com');
    expect(domain).toMatchObject({ name: 'mail.example.com', status: 'pending', verified_at: null });
    const verified = documentOf(await posthorn('domain', 'verify', domain.id, '--json'));
    expect(verified).toEqual({ ...domain, status: 'verified', verified_at: expect.stringMatching(/Z$/) });
  });

  test('verify refuses a domain that another workspace has', async () => {
    const [first, second] = [await create('taken.example'), await create('taken.example')];
    documentOf(await posthorn('domain', 'verify', first.id, '--json'));
    const { code, stderr } = await posthorn('domain', 'verify', second.id, '--json');
    expect([code, JSON.parse(stderr).error.code]).toEqual([1, 'conflict']);
  });

  test('create says what is wrong with a name', async () => {
    const { workspaceId } = await createTestWorkspace(ctx);
    const { code, stderr } = await posthorn('domain', 'create', '--workspace', workspaceId, '--name', 'localhost');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^posthorn: name must be a full domain name.*\n$/)]);
  });

  test('list shows the domains of all workspaces, newest first', async () => {
    const [older, newer] = [await create('older.example'), await create('newer.example')];
    expect(documentOf(await posthorn('domain', 'list', '--json')).slice(0, 2)).toEqual([newer, older]);
  });

  test('verify names an id that is unknown', async () => {
    const id = newId();
    expect(await posthorn('domain', 'verify', id)).toEqual({
      code: 1,
      stdout: '',
      stderr: `posthorn: There is no domain with the id ${id}.\n`,
    });
  });

  test('platform prints what to paste, with the key that signs', async () => {
    const records = documentOf(await posthorn('domain', 'platform', '--json'));
    const key = await signingKeyFinder(ctx)(null);
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
    expect(documentOf(await posthorn('domain', 'platform', '--json'))).toEqual(records);
    const { stdout } = await posthorn('domain', 'platform');
    expect(stdout).toContain(records[0].value);
  });

  test('platform makes no key without the SECRET_KEY of the service', async () => {
    const fresh = await openTestContext();
    const { code, stderr } = await runPosthorn(['domain', 'platform'], {
      env: { DATABASE_URL: fresh.config.databaseUrl },
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^posthorn: SECRET_KEY is missing\. .*\n$/)]);
    await closeTestContext(fresh);
  });

  test('platform seals the key with the secret of a local service, for its own database', async () => {
    const fresh = await openTestContext();
    const cwd = mkdtempSync(join(tmpdir(), 'posthorn-cli-'));
    mkdirSync(join(cwd, '.posthorn'));
    writeFileSync(join(cwd, '.posthorn/runtime.json'), JSON.stringify({ database_url: fresh.config.databaseUrl }));
    writeFileSync(join(cwd, '.posthorn/secret-key'), `${fresh.config.secretKey}\n`);
    documentOf(await runPosthorn(['domain', 'platform', '--json'], { cwd }));
    expect((await signingKeyFinder(fresh)(null))?.domain).toBe(fresh.config.platformSenderDomain);
    rmSync(cwd, { recursive: true });
    await closeTestContext(fresh);
  });

  test('show tells the records of a domain and what happened to it', async () => {
    const domain = await create('shown.example');
    documentOf(await posthorn('domain', 'verify', domain.id, '--json'));
    const shown = documentOf(await posthorn('domain', 'show', domain.id, '--json'));
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
    const checked = documentOf(await posthorn('domain', 'show', domain.id, '--json'));
    const record = checked.records.find(({ status }: Record<string, unknown>) => status === 'wrong');
    expect(record).toMatchObject({ found: '"v=spf1 \ufffd[2J -all"', message: 'Not ours.' });
    expect(shown.events).toEqual([
      { created_at: shown.verified_at, type: 'verified', detail: 'Verified by the operator' },
    ]);
    expect((await posthorn('domain', 'show', newId())).code).toBe(1);
  });
});
