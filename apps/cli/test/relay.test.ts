import { recordFeedbackEvent, recordFeedbackRefusal, registerServers } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { DAY_MS, newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { runChecks } from '../src/doctor/check.js';
import { buildFeedbackChecks } from '../src/doctor/feedback-checks.js';
import { parseOutput, posthornFor } from './posthorn.js';

let ctx: Context;
let posthorn: ReturnType<typeof posthornFor>;

beforeAll(async () => {
  ctx = await openTestContext({ ownDatabase: 'relays and routes are for all workspaces' });
  posthorn = posthornFor(ctx);
  await registerServers(ctx, ['mail.example.com:587', 'backup.example.com:587']);
});
afterAll(() => closeTestContext(ctx));

const run = async (...args: string[]) => parseOutput(await posthorn(...args, '--json'));

describe('posthorn relay', () => {
  test('add, show, update, pause, resume and remove', async () => {
    const added = await run(
      'relay',
      'add',
      'a',
      '--url',
      'smtp://user:pass-word@relay.example.com:2587',
      '--rate',
      '100/min',
    );
    expect(added).toEqual({ relay_id: expect.any(String), feedback_url: null });
    const shown = await run('relay', 'show', 'a');
    expect(shown).toMatchObject({
      ...{ relay_id: added.relay_id, name: 'a', address: 'relay.example.com:2587', paused: false },
      ...{ connections: null, rate: '100/min', warm_up: null, feedback: null, source: null, ehlo: null },
    });
    expect(JSON.stringify(shown)).not.toContain('pass-word');
    const { url } = await ctx.db('relays').where({ name: 'a' }).first();
    expect(url.toString('latin1')).not.toContain('pass-word');

    const change = ['--rate', 'none', '--connections', '5', '--warm-up', '50,100', '--source', '192.0.2.1,2001:db8::1'];
    expect(await run('relay', 'update', 'a', ...change, '--ehlo', 'out.example.com')).toMatchObject({
      ...{ rate: null, connections: 5, warm_up: '50,100', source: '192.0.2.1,2001:db8::1', ehlo: 'out.example.com' },
    });
    expect(await run('relay', 'pause', 'a')).toMatchObject({ name: 'a', paused: true });
    expect(await run('relay', 'resume', 'a')).toMatchObject({ paused: false });
    expect(await run('relay', 'remove', 'a')).toMatchObject({ removed: true });
    expect((await posthorn('relay', 'show', 'a')).stderr).toContain('No relay has this name');
    // Removed and added again, it is another relay.
    expect((await run('relay', 'add', 'a', '--url', 'smtps://other.example.com')).relay_id).not.toBe(added.relay_id);
    await run('relay', 'remove', 'a');
  });

  test('lists the servers of SMTP_URL, which take options, but no URL', async () => {
    const listed = await run('relay', 'list');
    expect(listed.slice(0, 2).map(({ name, address }: Record<string, string>) => [name, address])).toEqual([
      ['env-1', 'mail.example.com:587'],
      ['env-2', 'backup.example.com:587'],
    ]);
    expect(await run('relay', 'update', 'env-2', '--rate', '10/sec')).toMatchObject({ rate: '10/sec' });
    expect(await run('relay', 'pause', 'env-2')).toMatchObject({ paused: true });
    await run('relay', 'resume', 'env-2');
    expect((await posthorn('relay', 'update', 'env-2', '--url', 'smtp://x')).stderr).toContain('is in SMTP_URL');
    expect((await posthorn('relay', 'remove', 'env-2')).stderr).toContain('is in SMTP_URL');
    expect((await posthorn('relay', 'add', 'env-3', '--url', 'smtp://x')).stderr).toContain('SMTP_URL');
  });

  test('prints where the provider posts its events, and wants what they are verified with', async () => {
    const add = ['relay', 'add', 'p', '--url', 'smtp://relay.example.com', '--feedback', 'postmark'];
    expect((await posthorn(...add)).stderr).toContain('feedback-secret is missing');
    const { relay_id: id, feedback_url: url } = await run(...add, '--feedback-secret', 'user:secret');
    expect(url).toMatch(/\/feedback\/[\w-]{40,}$/);
    expect(await run('relay', 'update', 'p', '--feedback-secret', 'user:new', '--feedback-reset')).toMatchObject({
      feedback_url: url,
    });
    expect(await ctx.db('relay_secrets').where({ relay_id: id })).toHaveLength(1);
    const nothing = { last_event_at: null, last_refused_at: null, last_refusal: null };
    expect(await run('relay', 'show', 'p')).toMatchObject(nothing);
    await recordFeedbackRefusal(ctx.db, (await run('relay', 'show', 'p')).relay_id, ctx.now(), 'Forged.');
    expect(await run('relay', 'show', 'p')).toMatchObject({ last_event_at: null, last_refusal: 'Forged.' });
    await run('relay', 'remove', 'p');
  });

  test('the doctor says so if mail went out by a relay for a day and nothing came back', async () => {
    const add = ['relay', 'add', 's', '--url', 'smtp://relay.example.com', '--feedback', 'ses'];
    const { relay_id: relayId } = await run(...add);
    const examine = async (days: number) => {
      const now = () => new Date(ctx.now().getTime() + days * DAY_MS);
      return runChecks(await buildFeedbackChecks({ db: ctx.db, now }));
    };
    expect(await examine(2)).toMatchObject([{ name: 'feedback s', status: 'ok' }]);
    const sent = { position: 0, kind: 'to', address: 'jane@example.com', status: 'sent', updated_at: ctx.now() };
    const ids = { email_id: newId(), workspace_id: newId(), relay_id: relayId };
    await ctx.db('email_recipients').insert({ ...ids, ...sent });
    expect(await examine(0)).toMatchObject([{ status: 'ok' }]);
    expect(await examine(2)).toMatchObject([
      {
        status: 'warning',
        detail: expect.stringContaining('nothing came back'),
        fix: expect.stringContaining('relay show s'),
      },
    ]);
    await recordFeedbackEvent(ctx.db, relayId, new Date(ctx.now().getTime() + DAY_MS / 2));
    expect(await examine(2)).toMatchObject([{ status: 'ok', detail: expect.stringMatching(/^Last event at /) }]);
    await run('relay', 'remove', 's');
  });

  test.each(['resend', 'sendgrid'])(
    'takes the secret of %s later, because it is made for the feedback_url',
    async (kind) => {
      const add = ['relay', 'add', kind, '--url', 'smtp://relay.example.com', '--feedback', kind];
      expect(await run(...add)).toEqual({
        relay_id: expect.any(String),
        feedback_url: expect.stringContaining('/feedback/'),
      });
      await run('relay', 'update', kind, '--feedback-secret', 'whsec_c2VjcmV0');
      await run('relay', 'remove', kind);
    },
  );

  test.each([
    [['--url', 'http://relay.example.com'], 'smtp://'],
    [['--url', 'smtp://relay.example.com', '--rate', '100/minute'], '100/min'],
    [['--url', 'smtp://relay.example.com', '--warm-up', '50,0'], '50,100,200'],
    [['--url', 'smtp://relay.example.com', '--source', 'relay.example.com'], 'IPv4'],
    [['--url', 'smtp://relay.example.com', '--feedback', 'sendmail'], 'sendgrid'],
    [['--url', 'smtp://relay.example.com', '--connections', '0'], 'whole number'],
    [[], '--url'],
  ])('refuses %j and says what is expected', async (options, expected) => {
    const { code, stderr } = await posthorn('relay', 'add', 'x', ...options);
    expect(code).not.toBe(0);
    expect(stderr).toContain(expected);
  });
});

describe('posthorn route', () => {
  let workspaceId: string;

  beforeAll(async () => {
    ({ workspaceId } = await createTestWorkspace(ctx));
    for (const name of ['r1', 'r2', 'r3']) await run('relay', 'add', name, '--url', `smtp://${name}.example.com`);
  });

  const explain = (to: string, ...more: string[]) =>
    run('route', 'explain', '--workspace', workspaceId, '--from', 'news@shop.example', '--to', to, ...more);

  test('add, list, explain and remove', async () => {
    expect(await explain('jane@example.com')).toEqual({ route: 'default', relays: ['env-1', 'env-2'] });
    const options = ['--recipient-domain', 'Example.com', '--workspace', workspaceId, '--order', '5'];
    const { route_id: id } = await run('route', 'add', '--via', 'r1=1,r2=3', '--then', 'r3', ...options);
    expect(await run('route', 'list')).toEqual([
      expect.objectContaining({
        route_id: id,
        order: 5,
        via: 'r1=1,r2=3',
        fallback: 'r3',
        recipient_domain: 'example.com',
      }),
    ]);
    expect(await explain('jane@example.com')).toEqual({ route: id, relays: ['r2', 'r1', 'r3'] });
    expect(await explain('jane@example.org')).toMatchObject({ route: 'default' });
    await run('relay', 'pause', 'r2');
    expect(await explain('jane@example.com')).toEqual({ route: id, relays: ['r1', 'r3'] });
    const tagged = await run('route', 'add', '--via', 'r3', '--tag', 'kind:news', '--priority', 'bulk', '--order', '1');
    expect(await explain('jane@example.com', '--tag', 'kind:news', '--priority', 'bulk')).toEqual({
      route: tagged.route_id,
      relays: ['r3'],
    });
    for (const each of [id, tagged.route_id])
      expect(await run('route', 'remove', each)).toMatchObject({ removed: true });
    expect(await run('route', 'list')).toEqual([]);
  });

  test('refuses relays and workspaces that do not exist, and what is no relay', async () => {
    expect((await posthorn('route', 'add', '--via', 'gone')).stderr).toContain('names gone, which is no relay');
    expect((await posthorn('route', 'add', '--via', 'r1', '--workspace', newId())).code).toBe(1);
    expect((await posthorn('route', 'add', '--via', 'r1=0')).stderr).toContain('a=3,b=1');
    expect((await posthorn('route', 'add', '--via', 'r1', '--then', 'r2=2')).stderr).toContain('without weights');
    expect((await posthorn('route', 'remove', newId())).code).toBe(1);
  });
});
