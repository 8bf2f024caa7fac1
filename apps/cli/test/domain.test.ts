import { type Context, newId } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { documentOf, posthornOn } from './posthorn.js';

describe('posthorn domain', () => {
  let ctx: Context;
  let posthorn: ReturnType<typeof posthornOn>;
  beforeAll(async () => {
    ctx = await openTestContext();
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
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^posthorn: name: .*full domain name.*\n$/)]);
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
});
