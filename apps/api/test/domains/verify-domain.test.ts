import type { Domain, DomainRecord } from '@posthorn/contract';
import { clearInProcess } from '@posthorn/domain/throttles';
import { type DnsServer, startDnsServer } from '@posthorn/testing';
import { domainRequests } from '../../src/domains/routes.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createDomain, getRecord, getStatuses, path, publish, verify } from './domain-client.js';

const ALL = { ownership: 'verified', dkim: 'verified', spf: 'verified', return_path_mx: 'verified', dmarc: 'verified' };

describe('POST /api/v1/domains/{id}/verify', () => {
  let t: TestApi;
  let dns: DnsServer;
  let domain: Domain;
  let count = 0;

  beforeAll(async () => {
    dns = await startDnsServer();
    t = await openTestApi({
      config: { platformSenderDomain: 'platform.example', dnsServers: [dns.address] },
      ownDatabase: 'it verifies domains with fixed names',
    });
  });
  beforeEach(async () => {
    dns.clear();
    dns.heal();
    clearInProcess(t.ctx, domainRequests, t.workspace.id);
    count += 1;
    domain = await createDomain(t, `acme${count}.test`);
  });
  afterAll(async () => {
    await t.close();
    await dns.close();
  });

  const record = (kind: DomainRecord['record']) => getRecord(domain, kind);
  const checked = async (kind: DomainRecord['record']) => getRecord(await verify(t, domain), kind);

  test('verifies the domain once every required record is published', async () => {
    publish(
      dns,
      domain.records.filter(({ required }) => required),
    );
    const verified = await verify(t, domain);
    expect(verified).toMatchObject({ id: domain.id, status: 'verified', verified_at: verified.checked_at });
    expect(getStatuses(verified)).toEqual({ ...ALL, dmarc: 'missing' });
    expect((await t.api.get(`${path}/${domain.id}`).set(t.auth)).body).toEqual(verified);
    publish(dns, domain.records);
    const again = await verify(t, domain);
    expect(getStatuses(again)).toEqual(ALL);
    expect(again.verified_at).toBe(verified.verified_at);
    const entries = await t.ctx.db('audit_log').where({ target_id: domain.id }).orderBy('id');
    expect(entries.map(({ action }) => action)).toEqual(['domain.created', 'domain.verified']);
    expect(entries.at(-1)).toMatchObject({
      ...{ actor_type: 'api_key', actor_id: t.keyId, workspace_id: t.workspace.id },
      changes: { status: { from: 'pending', to: 'verified' } },
    });
    expect(getRecord(again, 'spf')).toMatchObject({ found: [record('spf').value], message: null });
  });

  test.each(['ownership', 'dkim', 'spf', 'return_path_mx'] as const)(
    'does not verify the domain without %s',
    async (kind) => {
      publish(
        dns,
        domain.records.filter((one) => one.record !== kind),
      );
      const response = await verify(t, domain);
      expect(response).toMatchObject({ status: 'pending', verified_at: null });
      expect(getStatuses(response)).toEqual({ ...ALL, [kind]: 'missing' });
      expect(getRecord(response, kind)).toMatchObject({
        found: [],
        message: expect.stringContaining(record(kind).name),
      });
    },
  );

  test('says for each record what DNS contains instead', async () => {
    publish(dns, domain.records);
    dns.txt(record('ownership').name, 'posthorn-verification=somebody-else');
    dns.txt(record('dkim').name, `${record('dkim').value.slice(0, 200)}`);
    dns.txt(record('spf').name, 'v=spf1 include:elsewhere.example -all');
    dns.mx(record('return_path_mx').name, { priority: 5, host: 'mx.elsewhere.example' });
    dns.txt(record('dmarc').name, 'v=DMARC1; p=all');
    const response = await verify(t, domain);
    expect(response.status).toBe('pending');
    for (const [kind, found, message] of [
      ['ownership', 'posthorn-verification=somebody-else', 'Add a record with the value posthorn-verification='],
      ['dkim', record('dkim').value.slice(0, 200), 'only part of this one'],
      ['spf', 'v=spf1 include:elsewhere.example -all', 'does not have include:platform.example'],
      ['return_path_mx', '5 mx.elsewhere.example', 'Change it to bounces.platform.example'],
      ['dmarc', 'v=DMARC1; p=all', 'none, quarantine or reject'],
    ] as const) {
      const { status, ...rest } = getRecord(response, kind);
      expect([kind, status]).toEqual([kind, 'wrong']);
      expect(rest).toMatchObject({ found: [found], message: expect.stringContaining(message) });
    }
  });

  test('reads values as mail servers do: split at any point, and alongside other records where allowed', async () => {
    publish(dns, domain.records);
    const { name, value } = record('ownership');
    dns.txt(name, 'google-site-verification=abc', ` "${value.toUpperCase()}" `);
    const dkim = record('dkim').value;
    dns.txt(record('dkim').name, [...(dkim.match(/.{1,60}/g) ?? [])]);
    dns.txt(record('spf').name, 'other=1', 'V=SPF1  IP4:192.0.2.1 +include:Platform.Example.  -ALL');
    dns.mx(
      record('return_path_mx').name,
      { priority: 20, host: 'spare.example' },
      { priority: 10, host: 'BOUNCES.Platform.example' },
    );
    dns.txt(record('dmarc').name, 'v=DMARC1;p=REJECT; rua=mailto:a@b.example');
    const response = await verify(t, domain);
    expect([response.status, getStatuses(response)]).toEqual(['verified', ALL]);
  });

  test('shows a DKIM value whose parts were pasted with their quotes, and reports it as wrong', async () => {
    publish(dns, domain.records);
    const pasted = (record('dkim').value_split ?? []).map((part) => `"${part}"`).join(' ');
    dns.txt(record('dkim').name, pasted);
    expect(await checked('dkim')).toMatchObject({
      status: 'wrong',
      found: [pasted.slice(0, 500)],
      message: expect.stringContaining('without quotes'),
    });
  });

  test('accepts a key in test mode, and explains what that means', async () => {
    publish(dns, domain.records);
    dns.txt(record('dkim').name, `${record('dkim').value}; t=y`);
    expect(await checked('dkim')).toMatchObject({ status: 'verified', message: expect.stringContaining('t=y') });
  });

  test.each([
    ['v=DKIM1; k=ed25519; p=', 'k=rsa'],
    ['v=DKIM1; h=sha1; p=', 'h='],
    ['v=DKIM2; p=', 'v=DKIM1'],
    ['v=DKIM1; s=web; p=', 's='],
  ])('refuses our key in a record that says %s', async (start, message) => {
    publish(dns, domain.records);
    dns.txt(record('dkim').name, start + record('dkim').value.split('p=')[1]);
    expect(await checked('dkim')).toMatchObject({ status: 'wrong', message: expect.stringContaining(message) });
  });

  test.each(['v=DKIM1; p=', 'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A'])(
    'does not accept %s as our key',
    async (value) => {
      publish(dns, domain.records);
      dns.txt(record('dkim').name, value);
      expect((await checked('dkim')).status).toBe('wrong');
    },
  );

  test.each([
    [['v=spf1 include:platform.example ~all', 'v=spf1 -all'], 'wrong', '2 SPF records'],
    [['v=spf1 ~all include:platform.example'], 'wrong', 'before ~all'],
    [['v=spf1 -include:platform.example ~all'], 'wrong', 'allows no server to send'],
    [['v=spf1 include:evil-platform.example ~all'], 'wrong', 'does not have'],
    [['v=spf1 ipv4:192.0.2.1 include:platform.example ~all'], 'wrong', 'the term ipv4:192.0.2.1'],
    [['spf1 include:platform.example'], 'missing', 'no SPF record'],
  ] as const)('evaluates the SPF records %j', async (values, status, message) => {
    publish(dns, domain.records);
    dns.txt(record('spf').name, ...values);
    expect(await checked('spf')).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  test('requires our host to have the lowest MX priority value', async () => {
    publish(dns, domain.records);
    const { name, value } = record('return_path_mx');
    dns.mx(name, { priority: 20, host: value }, { priority: 10, host: 'first.example' });
    expect(await checked('return_path_mx')).toMatchObject({
      status: 'wrong',
      found: ['10 first.example', `20 ${value}`],
      message: expect.stringContaining('lowest priority'),
    });
  });

  test('refuses a different host with the same MX priority as ours', async () => {
    publish(dns, domain.records);
    const { name, value } = record('return_path_mx');
    dns.mx(name, { priority: 10, host: value }, { priority: 10, host: 'other.example' });
    expect(await checked('return_path_mx')).toMatchObject({
      status: 'wrong',
      message: expect.stringContaining('same priority'),
    });
  });

  test('accepts the DMARC policy of the parent domain for a subdomain', async () => {
    dns.txt(`_dmarc.acme${count}.test`, 'v=DMARC1; p=reject');
    const below = await createDomain(t, `mail.acme${count}.test`);
    expect(getRecord(await verify(t, below), 'dmarc')).toMatchObject({
      status: 'verified',
      found: ['v=DMARC1; p=reject'],
    });
  });

  test('follows CNAME records', async () => {
    publish(dns, domain.records);
    const { name, value_split = [] } = record('dkim');
    dns.txt(name);
    dns.cname(name, 'one.alias.test');
    dns.cname('one.alias.test', 'two.alias.test');
    dns.txt('two.alias.test', value_split);
    expect((await verify(t, domain)).status).toBe('verified');
    dns.txt('two.alias.test');
    expect((await checked('dkim')).status).toBe('missing');
  });

  test('reads responses that are too long for UDP', async () => {
    publish(dns, domain.records);
    const { name, value } = record('ownership');
    dns.txt(name, ...Array.from({ length: 5 }, (_, index) => `${index}${'x'.repeat(400)}`), value);
    expect((await verify(t, domain)).status).toBe('verified');
    expect(dns.questions).toContain(`TXT ${name} over tcp`);
  });

  test.each(['SERVFAIL', 'REFUSED'] as const)('keeps the last status when DNS answers %s', async (fault) => {
    dns.fail(record('spf').name, fault);
    const never = await verify(t, domain);
    expect(getRecord(never, 'spf')).toMatchObject({ status: 'pending', message: expect.stringContaining(fault) });
    expect(never.checked_at).not.toBeNull();
    dns.heal();
    publish(dns, domain.records);
    const verified = await verify(t, domain);
    dns.failAll(fault);
    const unsure = await verify(t, domain);
    expect([unsure.status, getStatuses(unsure), unsure.checked_at]).toEqual(['verified', ALL, verified.checked_at]);
    expect(getRecord(unsure, 'dkim').message).toMatch(/^The DNS lookup failed: .*\. The status has not changed\.$/);
  });

  test('does not verify a domain based on earlier check results', async () => {
    publish(
      dns,
      domain.records.filter(({ record: kind }) => kind !== 'ownership'),
    );
    expect((await verify(t, domain)).status).toBe('pending');
    publish(dns, domain.records);
    dns.fail(record('dkim').name, 'SERVFAIL');
    const response = await verify(t, domain);
    expect([response.status, getStatuses(response)]).toEqual(['pending', ALL]);
    dns.heal();
    expect((await verify(t, domain)).status).toBe('verified');
  });

  test('answers when the resolvers do not respond, and says so', async () => {
    dns.failAll('silence');
    const response = await verify(t, domain);
    expect(response).toMatchObject({ status: 'pending', checked_at: null });
    for (const { status, message } of response.records) {
      expect(status).toBe('pending');
      expect(message).toContain('no resolver answered in time');
    }
  });

  test('handles malformed and huge records', async () => {
    publish(dns, domain.records);
    dns.txt(record('ownership').name, ...Array.from({ length: 40 }, (_, index) => `${index}\0${'ü😀'.repeat(150)}`));
    const hostile = `\0${'ü😀'.repeat(300)}`;
    dns.txt(record('spf').name, `v=spf1 ${hostile}`);
    dns.txt(record('dkim').name, `${record('dkim').value}; k=${hostile}`.replace('k=rsa;', ''));
    const response = await verify(t, domain);
    expect(getRecord(response, 'ownership').found).toHaveLength(10);
    for (const kind of ['ownership', 'spf', 'dkim'] as const) {
      const { status, found, message } = getRecord(response, kind);
      expect(status).toBe('wrong');
      for (const text of [...found, message ?? '']) expect(text.length).toBeLessThanOrEqual(500);
    }
  });

  describe('for a name that several workspaces have added', () => {
    test('verifies it for the first workspace to prove ownership, and answers 409 to the others', async () => {
      const other = await t.otherTenant();
      const theirs = await createDomain(t, domain.name, other);
      publish(dns, domain.records);
      expect((await verify(t, domain)).status).toBe('verified');
      expect((await verify(t, theirs, other)).status).toBe('pending');
      publish(dns, theirs.records);
      dns.txt(record('ownership').name, record('ownership').value, getRecord(theirs, 'ownership').value);
      const response = await t.api.post(`${path}/${theirs.id}/verify`).set(other.auth);
      expect([response.status, response.body.code]).toEqual([409, 'conflict']);
      expect(response.body.detail).toContain('Another workspace has verified this domain');
      const after = await t.api.get(`${path}/${theirs.id}`).set(other.auth);
      expect([after.body.status, getStatuses(after.body)]).toEqual(['pending', ALL]);
      await t.api.delete(`${path}/${domain.id}`).set(t.auth).expect(200);
      expect((await verify(t, theirs, other)).status).toBe('verified');
    });

    test('keeps a withdrawn domain withdrawn while another workspace has the name', async () => {
      const other = await t.otherTenant();
      const theirs = await createDomain(t, domain.name, other);
      publish(dns, domain.records);
      expect((await verify(t, domain)).status).toBe('verified');
      await t.ctx.db('sending_domains').where({ id: domain.id }).update({ status: 'withdrawn' });
      publish(dns, theirs.records);
      expect((await verify(t, theirs, other)).status).toBe('verified');
      publish(dns, domain.records);
      dns.txt(record('ownership').name, record('ownership').value, getRecord(theirs, 'ownership').value);
      const response = await t.api.post(`${path}/${domain.id}/verify`).set(t.auth);
      expect([response.status, response.body.code]).toEqual([409, 'conflict']);
      const after = await t.api.get(`${path}/${domain.id}`).set(t.auth);
      expect([after.body.status, getStatuses(after.body)]).toEqual(['withdrawn', ALL]);
      const holder = await t.api.get(`${path}/${theirs.id}`).set(other.auth);
      expect(holder.body.status).toBe('verified');
    });

    test('verifies it for exactly one of several workspaces that prove ownership at the same time', async () => {
      const tenants = [t, await t.otherTenant(), await t.otherTenant()];
      const name = `race${count}.test`;
      const domains = await Promise.all(tenants.map((tenant) => createDomain(t, name, tenant)));
      for (const { records } of domains) publish(dns, records);
      dns.txt(`_posthorn.${name}`, ...domains.map((one) => getRecord(one, 'ownership').value));
      const responses = await Promise.all(
        domains.map(({ id }, index) => t.api.post(`${path}/${id}/verify`).set(tenants[index]?.auth ?? {})),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    });

    test('requires proof from the same workspace', async () => {
      const other = await t.otherTenant();
      const theirs = await createDomain(t, domain.name, other);
      publish(dns, theirs.records);
      publish(
        dns,
        domain.records.filter(({ record: kind }) => kind !== 'ownership'),
      );
      const response = await verify(t, domain);
      expect([response.status, getStatuses(response).ownership]).toEqual(['pending', 'wrong']);
    });
  });
});
