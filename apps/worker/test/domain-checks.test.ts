import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '@posthorn/domain/audit-log';
import {
  createDomain,
  deleteDomain,
  describeDomains,
  findAnyDomain,
  markDomainVerified,
} from '@posthorn/domain/domains';
import { parseAddress } from '@posthorn/domain/format';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { startDomainChecks } from '../src/maintenance/regular-work.js';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const TIMEOUT_MS = 20_000;

describe('a worker', () => {
  let t: TestWorker;
  let dns: DnsServer;

  beforeAll(async () => {
    dns = await startDnsServer();
    t = await openTestWorker({ config: { dnsServers: [dns.address] }, started: false });
  });
  afterAll(async () => {
    await t.close();
    await dns.close();
  });

  test('verifies a domain on its own once the DNS records are published', async () => {
    const { id } = await createDomain(t.ctx, operator, t.workspaceId, 'checked.test');
    const [described] = await describeDomains(t.ctx, [(await findAnyDomain(t.ctx.db, id)) as never]);
    for (const { type, name, value } of described?.records ?? []) {
      if (type === 'MX') dns.mx(name, { priority: 10, host: value });
      else dns.txt(name, value);
    }
    await t.ctx.db('sending_domains').where({ id }).update({ next_check_at: new Date() });
    const checks = startDomainChecks(t.ctx, { intervalMs: 20 });
    const deadline = Date.now() + TIMEOUT_MS;
    while ((await findAnyDomain(t.ctx.db, id))?.status !== 'verified' && Date.now() < deadline) await sleep(20);
    await checks.stop();
    expect((await findAnyDomain(t.ctx.db, id))?.status).toBe('verified');
  });

  test('fails an email with a reason if its domain was deleted while it was waiting', async () => {
    const { id: domainId } = await createDomain(t.ctx, operator, t.workspaceId, 'deleted.test');
    await markDomainVerified(t.ctx, domainId);
    const id = await t.accept({ from: parseAddress('me@deleted.test'), domainId });
    expect(await deleteDomain(t.ctx, operator, { workspaceId: t.workspaceId, id: domainId })).toBe(true);
    t.start();
    const email = await t.until(id, 'failed');
    expect(email.domainId).toBe(domainId);
    expect(email.events.at(-1)).toMatchObject({
      type: 'failed',
      detail: expect.stringContaining('of me@deleted.test was deleted'),
    });
    expect(t.sink.messages).toEqual([]);
  });
});
