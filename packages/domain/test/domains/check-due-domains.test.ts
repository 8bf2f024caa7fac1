import { setTimeout as sleep } from 'node:timers/promises';
import {
  checkDueDomains,
  createDomain,
  describeDomains,
  findAnyDomain,
  findSigningKey,
  listDomainEvents,
  markDomainVerified,
  rotateKey,
  type SendingDomain,
} from '@posthorn/domain/domains';
import type { Context } from '@posthorn/platform';
import { createLog } from '@posthorn/platform/logs';
import { HOUR_MS } from '@posthorn/platform/values';
import {
  closeTestContext,
  createTestWorkspace,
  type DnsServer,
  openTestContext,
  startDnsServer,
} from '@posthorn/testing';
import { operator } from '../../src/audit-log/audit-entry.js';

describe('checkDueDomains', () => {
  let ctx: Context;
  let dns: DnsServer;
  let now: Date;
  let count = 0;

  beforeAll(async () => {
    dns = await startDnsServer();
    ctx = await openTestContext({
      ownDatabase: 'it checks the due domains of all workspaces',
      config: { dnsServers: [dns.address] },
      now: () => now,
    });
  });
  beforeEach(async () => {
    now = new Date('2026-11-21T10:00:00.000Z');
    dns.clear();
    dns.heal();
    await ctx.db('sending_domains').update({ next_check_at: null });
  });
  afterAll(async () => {
    await closeTestContext(ctx);
    await dns.close();
  });

  async function add(): Promise<SendingDomain> {
    count += 1;
    const name = `due${count}.test`;
    const { workspaceId } = await createTestWorkspace(ctx);
    return createDomain(ctx, operator, workspaceId, name);
  }

  async function publish(domain: SendingDomain): Promise<void> {
    const [described] = await describeDomains(ctx, [domain]);
    for (const { type, name, value, priority } of described?.records ?? []) {
      if (type === 'MX') dns.mx(name, { priority: priority ?? 0, host: value });
      else dns.txt(name, value);
    }
  }

  function pass(hours: number): void {
    now = new Date(now.getTime() + hours * HOUR_MS);
  }

  async function checkAfter(hours: number): Promise<number> {
    pass(hours);
    return checkDueDomains(ctx);
  }

  const read = async ({ id }: SendingDomain) => (await findAnyDomain(ctx.db, id)) as SendingDomain;
  const status = async (domain: SendingDomain) => (await read(domain)).status;
  /** Who made the latest change in the audit log, and what changed. */
  const newestEntry = async ({ id }: SendingDomain) => {
    const entry = await ctx.db('audit_log').where({ target_id: id }).orderBy('id', 'desc').first();
    return { by: entry.actor_type, workspaceId: entry.workspace_id, action: entry.action, changes: entry.changes };
  };
  const entries = async ({ id }: SendingDomain): Promise<string[]> =>
    ctx.db('audit_log').where({ target_id: id }).orderBy('id').pluck('action');
  const events = async ({ id }: SendingDomain) => (await listDomainEvents(ctx.db, id)).map(({ type }) => type);

  test('verifies a domain once its records are published, and checks it only when it is due', async () => {
    const domain = await add();
    expect(await checkAfter(0)).toBe(0);
    expect(await checkAfter(0.05)).toBe(1);
    expect(await status(domain)).toBe('pending');
    expect(await checkAfter(0)).toBe(0);
    await publish(domain);
    expect(await checkAfter(0.05)).toBe(1);
    expect(await read(domain)).toMatchObject({ status: 'verified', verifiedAt: now, checkedAt: now });
    expect(await checkAfter(23.9)).toBe(0);
    expect(await checkAfter(1.2)).toBe(1);
    expect(await events(domain)).toEqual(['verified']);
  });

  test('withdraws a domain after two failed checks a day apart, and verifies it again later', async () => {
    const domain = await add();
    await publish(domain);
    await checkAfter(0.05);
    dns.clear();
    await checkAfter(25.1);
    expect(await status(domain)).toBe('verified');
    dns.failAll('SERVFAIL');
    await checkAfter(25.1);
    expect(await status(domain)).toBe('verified');
    dns.heal();
    await checkAfter(1.1);
    expect(await status(domain)).toBe('withdrawn');
    await publish(domain);
    await checkAfter(0.05);
    expect(await status(domain)).toBe('verified');
    expect(await events(domain)).toEqual(['verified', 'withdrawn', 'verified']);
    const actions = ['domain.verified', 'domain.withdrawn', 'domain.verified'];
    expect(await entries(domain)).toEqual(['domain.created', ...actions]);
    const { workspaceId } = domain;
    const changes = { status: { from: 'withdrawn', to: 'verified' } };
    expect(await newestEntry(domain)).toEqual({ by: 'system', workspaceId, action: 'domain.verified', changes });
  });

  test('never withdraws a domain because DNS queries failed', async () => {
    const domain = await add();
    await publish(domain);
    await checkAfter(0.05);
    dns.failAll('REFUSED');
    for (let checks = 0; checks < 4; checks += 1) expect(await checkAfter(25.1)).toBe(1);
    expect(await status(domain)).toBe('verified');
  });

  test('signs with a new key once its record is published, and keeps the record of the old key for a week', async () => {
    const domain = await add();
    await publish(domain);
    await checkAfter(0.05);
    const first = await findSigningKey({ ...ctx, signingKeys: new Map() }, domain.id);
    await rotateKey(ctx, operator, domain);
    await expect(rotateKey(ctx, operator, domain)).rejects.toMatchObject({ code: 'conflict' });
    await checkAfter(0.05);
    expect((await findSigningKey({ ...ctx, signingKeys: new Map() }, domain.id))?.selector).toBe(first?.selector);
    await publish(domain);
    await checkAfter(0.05);
    const second = await findSigningKey({ ...ctx, signingKeys: new Map() }, domain.id);
    expect(second?.selector).not.toBe(first?.selector);
    expect(await status(domain)).toBe('verified');
    expect(await events(domain)).toEqual(['verified', 'key_rotated']);
    expect(await newestEntry(domain)).toMatchObject({
      by: 'system',
      action: 'domain.key_activated',
      changes: {
        active_selector: { from: first?.selector, to: second?.selector },
        pending_selector: { from: second?.selector, to: null },
      },
    });
    expect(await keyStates(domain)).toEqual({
      [String(second?.selector)]: 'active',
      [String(first?.selector)]: 'retired',
    });
    const kept = await ctx
      .db('domain_keys')
      .select('private_key', 'secret_key_id')
      .where({ selector: first?.selector })
      .first();
    expect(kept).toEqual({ private_key: null, secret_key_id: null });
    pass(7 * 24 - 1);
    await checkDueDomains(ctx);
    expect(await keyStates(domain)).toHaveProperty(String(first?.selector), 'retired');
    pass(1);
    expect(await keyStates(domain)).toEqual({ [String(second?.selector)]: 'active' });
    await checkAfter(25.1);
    expect(await ctx.db('domain_keys').where({ domain_id: domain.id })).toHaveLength(1);
  });

  test('checks a domain that the operator verified, but only while a new key waits for its record', async () => {
    const domain = await add();
    await markDomainVerified(ctx, domain.id);
    expect(await checkAfter(100)).toBe(0);
    await rotateKey(ctx, operator, domain);
    expect(await checkAfter(0.05)).toBe(1);
    expect(await status(domain)).toBe('verified');
    await publish(domain);
    await checkAfter(0.05);
    expect(Object.values(await keyStates(domain))).toEqual(['active', 'retired']);
  });

  test('divides the domains among concurrent processes and misses none', async () => {
    const domains = await Promise.all(Array.from({ length: 12 }, add));
    pass(0.05);
    const before = dns.questions.length;
    let found = 0;
    do {
      const counts = await Promise.all(Array.from({ length: 3 }, () => checkDueDomains(ctx)));
      found = counts.reduce((sum, one) => sum + one, 0);
    } while (found > 0);
    const queries = dns.questions.slice(before).filter((question) => /^TXT _posthorn\.due\d+\.\w+ over/.test(question));
    expect(queries.length).toBe(domains.length);
    expect(new Set(queries).size).toBe(domains.length);
  });

  test('skips a domain that another process has locked', async () => {
    const [held, free] = [await add(), await add()];
    pass(0.05);
    await ctx.db.transaction(async (trx) => {
      await trx('sending_domains').where({ id: held.id }).forNoKeyUpdate();
      // A check that waits for the lock cannot finish before this transaction ends.
      expect(await Promise.race([checkDueDomains(ctx), sleep(10_000, 'waits', { ref: false })])).toBe(1);
    });
    expect([(await read(held)).checkedAt, (await read(free)).checkedAt]).toEqual([null, now]);
    expect(await checkDueDomains(ctx)).toBe(1);
  });

  test('rechecks a domain whose check failed in another process', async () => {
    const domain = await add();
    pass(0.05);
    const broken = { ...ctx, log: createLog('test', 'silent'), config: { ...ctx.config, dnsServers: ['no address'] } };
    expect(await checkDueDomains(broken)).toBe(1);
    await publish(domain);
    expect(await checkDueDomains(ctx)).toBe(0);
    expect(await checkAfter(0.1)).toBe(1);
    expect(await status(domain)).toBe('verified');
  });

  async function keyStates(domain: SendingDomain): Promise<Record<string, string>> {
    const [described] = await describeDomains(ctx, [domain]);
    const dkim = described?.records.filter(({ record }) => record === 'dkim') ?? [];
    return Object.fromEntries(dkim.map(({ name, keyState }) => [name.split('.')[0], String(keyState)]));
  }
});
