import { operator } from '@posthorn/domain/audit-log';
import { createDomain, markDomainVerified } from '@posthorn/domain/domains';
import { parseAddress } from '@posthorn/domain/format';
import { createTemplate } from '@posthorn/domain/templates';
import type { SmtpReply } from '@posthorn/testing';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;
let reply: (command: string, address: string) => SmtpReply | undefined;

beforeEach(async () => {
  reply = () => undefined;
  t = await openTestWorker({ sink: { reply: (command, address) => reply(command, address) } });
});

afterEach(() => t.close());

const statuses = (email: { recipients: Array<{ address: string; status: string }> }) =>
  Object.fromEntries(email.recipients.map(({ address, status }) => [address, status]));

describe('a delivery', () => {
  test('sends the requested message and records the SMTP conversation', async () => {
    const id = await t.accept({
      to: ['"Doe, Jane" <jane@example.com>'],
      cc: ['copy@example.com'],
      bcc: ['hidden@example.com'],
      replyTo: [parseAddress('Help <help@example.com>')],
      headers: { 'X-Order': '7' },
    });
    const email = await t.until(id, 'sent');
    const [message] = await t.sink.waitFor(1);
    expect(message?.envelope).toEqual({
      from: expect.stringMatching(/^b\+[0-9a-v]{56}@bounces\.posthorn\.localhost$/),
      to: ['jane@example.com', 'copy@example.com', 'hidden@example.com'],
    });
    expect(message?.parsed).toMatchObject({
      from: { address: `${t.slug}@posthorn.localhost` },
      to: [{ name: 'Doe, Jane', address: 'jane@example.com' }],
      cc: [{ address: 'copy@example.com' }],
      replyTo: [{ name: 'Help', address: 'help@example.com' }],
      subject: 'Hello',
      messageId: `<${id}@posthorn.localhost>`,
    });
    expect(message?.parsed.text?.trim()).toBe('Hi');
    expect(message?.parsed.html?.trim()).toBe('<p>Hi</p>');
    expect(message?.raw.toString()).not.toContain('hidden@example.com');
    expect(message?.parsed.headers.find(({ key }) => key === 'x-order')?.value).toBe('7');
    expect(new Date(message?.parsed.date ?? '').getTime()).toBe(Math.floor(email.createdAt.getTime() / 1_000) * 1_000);

    expect(email.recipients.every(({ status, smtpCode }) => status === 'sent' && smtpCode === 250)).toBe(true);
    expect(email.attempts).toHaveLength(1);
    expect(email.attempts[0]).toMatchObject({
      attempt: 1,
      outcome: 'sent',
      phase: 'reply',
      route: 'env-1',
    });
    expect(email.attempts[0]?.conversation).toContain('C: RCPT TO:<hidden@example.com>');
    expect(email.attempts[0]?.conversation.at(-1)).toMatch(/^S: 250/);
    expect(email.events.map(({ type, recipient }) => [type, recipient])).toEqual([
      ['accepted', null],
      ['sent', 'jane@example.com'],
      ['sent', 'copy@example.com'],
      ['sent', 'hidden@example.com'],
    ]);
  });

  test('renders html and text from the pinned template version, and escapes only in html', async () => {
    const template = await createTemplate(t.ctx, operator, t.workspaceId, {
      name: 'Greeting',
      subject: 'For {{name}}',
      htmlBody: '<p>{{name}}</p>',
      textBody: 'Dear {{name}}',
    });
    const vars = { name: "<b>O'Brien & Co</b>" };
    await t.accept({ content: { kind: 'template', templateId: template.id, vars } });
    const [message] = await t.sink.waitFor(1);
    expect(message?.parsed.subject).toBe(`For ${vars.name}`);
    expect(message?.parsed.text?.trim()).toBe(`Dear ${vars.name}`);
    expect(message?.parsed.html).toContain('&lt;b&gt;O&#39;Brien &amp; Co&lt;/b&gt;');
  });

  test('waits while its template cannot be read, without counting a deferral or an ambiguous attempt', async () => {
    await t.stopAll();
    const parts = { subject: 'Hello', htmlBody: '<p>Hi</p>', textBody: 'Hi' };
    const { id: templateId } = await createTemplate(t.ctx, operator, t.workspaceId, { name: 'Greeting', ...parts });
    const id = await t.accept({ content: { kind: 'template', templateId, vars: {} } });
    await t.ctx.db.raw('alter table template_versions rename to hidden_versions');
    t.start();
    const waiting = await t.until(id, 'deferred');
    expect(waiting.attempts[0]).toMatchObject({ outcome: 'deferred', phase: 'render', route: null });
    expect(statuses(waiting)).toEqual({ 'jane@example.com': 'queued' });
    expect(await t.ctx.db('deliveries').pluck('deferrals')).toEqual([0]);
    await t.ctx.db.raw('alter table hidden_versions rename to template_versions');
    const email = await t.until(id, 'sent');
    expect(email.attempts.map(({ outcome }) => outcome)).not.toContain('ambiguous');
    expect(t.sink.messages).toHaveLength(1);
  });

  test('has a result for each recipient: sent, bounced, or deferred and retried', async () => {
    let deferrals = 0;
    reply = (command, address) => {
      if (command !== 'RCPT') return undefined;
      if (address === 'gone@example.com') return { code: 550, text: '5.1.1 No such user' };
      if (address === 'later@example.com' && deferrals++ === 0) return { code: 450, text: '4.2.1 Try later' };
      return undefined;
    };
    const id = await t.accept({ to: ['ok@example.com', 'gone@example.com', 'later@example.com'] });
    const deferred = await t.until(id, 'deferred');
    expect(statuses(deferred)).toEqual({
      'ok@example.com': 'sent',
      'gone@example.com': 'bounced',
      'later@example.com': 'deferred',
    });
    const email = await t.until(id, 'sent');
    expect(statuses(email)).toEqual({
      'ok@example.com': 'sent',
      'gone@example.com': 'bounced',
      'later@example.com': 'sent',
    });
    expect(email.recipients.find(({ address }) => address === 'gone@example.com')).toMatchObject({ smtpCode: 550 });
    expect(t.sink.messages.map(({ envelope }) => envelope.to)).toEqual([['ok@example.com'], ['later@example.com']]);
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['partial', 'sent']);
    const [first, second] = t.sink.messages;
    expect(second?.raw.equals(first?.raw as Buffer)).toBe(true);
  });

  test('bounces for every recipient after a 5xx for the whole message', async () => {
    reply = (command) => (command === 'DATA' ? { code: 554, text: '5.7.1 Looks like spam' } : undefined);
    const email = await t.until(await t.accept({ to: ['a@example.com', 'b@example.com'] }), 'bounced');
    expect(statuses(email)).toEqual({ 'a@example.com': 'bounced', 'b@example.com': 'bounced' });
    expect(email.attempts).toHaveLength(1);
  });

  test('records a reply that contains bytes Postgres cannot store', async () => {
    reply = (command) => (command === 'DATA' ? { code: 554, text: 'Bad\u0000 byte \u00ff' } : undefined);
    const email = await t.until(await t.accept(), 'bounced');
    expect(email.recipients[0]?.smtpResponse).toContain('Bad');
  });

  test('gives up after the last retry and records the last reply', async () => {
    reply = (command) => (command === 'DATA' ? { code: 451, text: '4.3.0 Busy' } : undefined);
    const email = await t.until(await t.accept(), 'failed');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['deferred', 'deferred', 'deferred']);
    expect(email.recipients[0]).toMatchObject({ status: 'failed', smtpCode: 451 });
    expect(email.recipients[0]?.smtpResponse).toContain('Busy');
  });

  test('fails with a reason if the sending domain was withdrawn after the email was accepted', async () => {
    const domain = await createDomain(t.ctx, operator, t.workspaceId, 'acme.example');
    await markDomainVerified(t.ctx, domain.id);
    const scheduledAt = new Date(Date.now() + 400);
    const id = await t.accept({ from: parseAddress('hi@acme.example'), scheduledAt });
    await t.ctx.db('sending_domains').where({ id: domain.id }).update({ status: 'withdrawn' });
    const email = await t.until(id, 'failed');
    expect(email.events.at(-1)?.detail).toContain('no longer verified');
    expect(t.sink.messages).toHaveLength(0);
  });
});

describe('a scheduled email', () => {
  test('is sent when it is due and no earlier', async () => {
    const scheduledAt = new Date(Date.now() + 1_000);
    const id = await t.accept({ scheduledAt });
    expect((await t.read(id)).status).toBe('scheduled');
    const email = await t.until(id, 'sent');
    expect(email.attempts[0]?.startedAt.getTime()).toBeGreaterThanOrEqual(scheduledAt.getTime());
  });
});

describe('an email that has waited too long', () => {
  const age = (id: string, hours: number) =>
    t.ctx
      .db('emails')
      .where({ id })
      .update({ created_at: new Date(Date.now() - hours * 3_600_000) });

  test('is not sent, even if no attempt has been made yet', async () => {
    await t.stopAll();
    const id = await t.accept();
    await age(id, 73);
    t.start();
    const email = await t.until(id, 'failed');
    expect(email.recipients[0]?.smtpResponse).toContain('within 72 hours');
    expect(t.sink.messages).toHaveLength(0);
  });

  test('fails if it would be too old by the next attempt', async () => {
    await t.stopAll();
    reply = (command) => (command === 'DATA' ? { code: 451, text: '4.3.0 Busy' } : undefined);
    const id = await t.accept();
    await age(id, 71);
    t.start({ retryScheduleSeconds: [7_200, 7_200] });
    const email = await t.until(id, 'failed');
    expect(email.attempts.map(({ outcome }) => outcome)).toEqual(['deferred']);
    expect(email.recipients[0]?.smtpResponse).toContain('Gave up. Last error: 451');
  });
});

describe('a route', () => {
  test('that fails in the envelope phase is recorded with that phase', async () => {
    reply = (command) => (command === 'MAIL' ? { code: 530, text: '5.7.0 Authentication required' } : undefined);
    const waiting = await t.until(await t.accept(), 'deferred');
    expect(waiting.attempts[0]).toMatchObject({ outcome: 'route_fault', phase: 'envelope' });
    reply = () => undefined;
  });

  test('that refuses connections delays the email, and no attempt is charged', async () => {
    let broken = true;
    reply = (command) => (command === 'CONNECT' && broken ? { code: 554, text: 'Go away' } : undefined);
    const id = await t.accept();
    const waiting = await t.until(id, 'deferred');
    expect(waiting.attempts[0]).toMatchObject({ outcome: 'route_fault' });
    expect(statuses(waiting)).toEqual({ 'jane@example.com': 'queued' });
    expect(await t.ctx.db('deliveries').pluck('deferrals')).toEqual([0]);
    broken = false;
    await t.until(id, 'sent');
  });
});
