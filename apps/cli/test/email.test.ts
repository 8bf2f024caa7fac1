import type { Mode } from '@posthorn/contract';
import { acceptEmails, openAcceptContext } from '@posthorn/domain/accepting';
import { createKey } from '@posthorn/domain/api-keys';
import { operator } from '@posthorn/domain/audit-log';
import { pauseQueue } from '@posthorn/domain/delivery';
import { parseAddress } from '@posthorn/domain/format';
import { findWorkspace, toTestWorkspace } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { parseOutput, posthornFor } from './posthorn.js';

const SECRET = 'the code is 123456';
const REQUEST_ID = '0192f0c1-0000-7000-8000-000000000001';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('posthorn email', () => {
  let ctx: Context;
  beforeAll(async () => {
    ctx = await openTestContext();
  });
  afterAll(() => closeTestContext(ctx));

  async function accept(mode: Mode = 'live'): Promise<{ id: string; workspaceId: string }> {
    const { workspaceId } = await createTestWorkspace(ctx);
    await createKey(ctx, operator, workspaceId, { name: 'CI', scopes: ['emails:send'], mode, expiresAt: null });
    const live = await findWorkspace(ctx.db, workspaceId, 60);
    const workspace = live && mode === 'test' ? toTestWorkspace(live) : live;
    if (!workspace) throw new Error('The workspace does not exist');
    const accepting = openAcceptContext(ctx);
    const { body } = await acceptEmails(accepting, {
      caller: { id: newId(), workspace, domainIds: null },
      requestId: REQUEST_ID,
      traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01`,
      requests: [
        {
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
      ],
      idempotencyKey: null,
      toResponse: ([{ id }]) => id,
    });
    await accepting.close();
    return { id: body, workspaceId };
  }

  test('show prints the status of an email without its content', async () => {
    const { id, workspaceId } = await accept();
    const outcome = await posthornFor(ctx)('email', 'show', id, '--json');
    expect(parseOutput(outcome)).toMatchObject({
      id,
      workspace_id: workspaceId,
      mode: 'live',
      request_id: REQUEST_ID,
      trace_id: TRACE_ID,
      queue_paused: false,
      next_attempt_at: null,
      expires_at: null,
      status: 'queued',
      explanation: 'Accepted, and waiting for a worker, which sends it next.',
      subject: 'Hello',
      recipients: [{ kind: 'to', address: 'ada@example.com', status: 'queued', smtp_code: null, smtp_response: null }],
      attempts: [],
    });
    expect(outcome.stdout).not.toContain(SECRET);
  });

  test('show says when the next attempt is, and whether the queue is paused', async () => {
    const { id, workspaceId } = await accept();
    const at = new Date(Date.now() + 60_000);
    await ctx.db('emails').where({ id }).update({ status: 'deferred' });
    await ctx.db('deliveries').where({ email_id: id }).update({ due_at: at, is_due: false, deferrals: 1 });
    await pauseQueue(ctx, operator, workspaceId);
    const shown = parseOutput(await posthornFor(ctx)('email', 'show', id, '--json'));
    expect(shown).toMatchObject({ queue_paused: true, next_attempt_at: at.toISOString() });
  });

  test('show prints the mode of test mail, and the same workspace as for live mail', async () => {
    const { id, workspaceId } = await accept('test');
    const shown = parseOutput(await posthornFor(ctx)('email', 'show', id, '--json'));
    expect(shown).toMatchObject({ id, workspace_id: workspaceId, mode: 'test' });
  });

  test('show prints fields and tables without --json', async () => {
    const { id } = await accept();
    const { stdout } = await posthornFor(ctx)('email', 'show', id);
    expect(stdout).toMatch(new RegExp(`^id +${id}\n`));
    expect(stdout).toMatch(/\nstatus +queued\n/);
    expect(stdout).toMatch(/\n\nrecipients\nkind +address +status .*\nto +ada@example\.com +queued /);
    expect(stdout).toMatch(/\n\nattempts\n\(none\)\n/);
    expect(stdout).not.toContain(SECRET);
  });

  test('show rejects an argument that is not an ID', async () => {
    const { code, stderr } = await posthornFor(ctx)('email', 'show', 'x');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^posthorn: This is not an ID\. .*\n$/)]);
  });
});
