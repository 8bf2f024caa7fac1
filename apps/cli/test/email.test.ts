import { acceptEmail, type Context, findWorkspace, newId, openAcceptContext, parseAddress } from '@posthorn/domain';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { documentOf, posthornOn } from './posthorn.js';

const SECRET = 'the code is 123456';

describe('posthorn email', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  async function accept(): Promise<{ id: string; workspaceId: string }> {
    const { workspaceId } = await createTestWorkspace(ctx);
    const workspace = await findWorkspace(ctx.db, workspaceId, 60);
    if (!workspace) throw new Error('The workspace is not there');
    const acceptance = openAcceptContext(ctx);
    const { body } = await acceptEmail(acceptance, {
      caller: { id: newId(), workspace },
      request: {
        to: [parseAddress('Ada <ada@example.com>')],
        cc: [],
        bcc: [],
        replyTo: [],
        from: null,
        domainId: null,
        content: { kind: 'raw', subject: 'Hello', html: `<p>${SECRET}</p>`, text: SECRET },
        headers: {},
        tags: [],
        scheduledAt: null,
      },
      idempotencyKey: null,
      toResponse: ({ id }) => id,
    });
    await acceptance.close();
    return { id: body, workspaceId };
  }

  test('show tells what became of an email, without its content', async () => {
    const { id, workspaceId } = await accept();
    const outcome = await posthornOn(ctx)('email', 'show', id, '--json');
    expect(documentOf(outcome)).toMatchObject({
      id,
      workspace_id: workspaceId,
      status: 'queued',
      subject: 'Hello',
      recipients: [{ kind: 'to', address: 'ada@example.com', status: 'queued', smtp_code: null, smtp_response: null }],
      attempts: [],
    });
    expect(outcome.stdout).not.toContain(SECRET);
  });

  test('show prints lines and tables for people', async () => {
    const { id } = await accept();
    const { stdout } = await posthornOn(ctx)('email', 'show', id);
    expect(stdout).toMatch(new RegExp(`^id +${id}\n`));
    expect(stdout).toMatch(/\nstatus +queued\n/);
    expect(stdout).toMatch(/\n\nrecipients\nkind +address +status .*\nto +ada@example\.com +queued /);
    expect(stdout).toMatch(/\n\nattempts\n\(none\)\n/);
    expect(stdout).not.toContain(SECRET);
  });

  test('show names an id that is unknown', async () => {
    const { code, stderr } = await posthornOn(ctx)('email', 'show', 'x');
    expect([code, stderr]).toEqual([1, 'posthorn: There is no email with the id x.\n']);
  });
});
