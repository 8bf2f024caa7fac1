import { operator } from '@posthorn/domain/audit-log';
import { addRelay, noteRelayTrouble, registerServers, setRelayPaused } from '@posthorn/domain/relays';
import type { Context } from '@posthorn/platform';
import { closeTestContext, type DnsServer, openTestContext, startDnsServer } from '@posthorn/testing';
import { runChecks } from '../src/doctor/check.js';
import { buildWayOutChecks } from '../src/doctor/way-out-checks.js';

let ctx: Context;
let dns: DnsServer;

beforeAll(async () => {
  dns = await startDnsServer();
  ctx = await openTestContext({
    ownDatabase: 'relays are for all workspaces',
    config: {
      dnsServers: [dns.address],
      dnsBlocklists: ['list.test', 'other.test'],
      platformSenderDomain: 'mail.test',
    },
  });
  await registerServers(ctx, ['mail.example.com:587']);
  const source = { ipv4: '192.0.2.40', ipv6: null };
  await addRelay(ctx, operator, { name: 'direct', url: 'mx:', source, ehlo: 'out.mail.test' });
  await addRelay(ctx, operator, { name: 'bare', url: 'mx:' });
});

afterAll(async () => {
  await closeTestContext(ctx);
  await dns.close();
});

beforeEach(() => dns.clear());

async function check(name: string) {
  const checks = (await buildWayOutChecks(ctx)).filter((each) => each.name === name);
  const [result] = await runChecks(checks);
  return result;
}

test('a relay that has just refused us has failed, although others carry its mail', async () => {
  expect(await check('relay env-1 state')).toMatchObject({ status: 'ok' });
  const { id } = await ctx.db('relays').where({ name: 'env-1' }).first('id');
  await noteRelayTrouble(ctx.db, id, '554 5.7.1 Relay access denied');
  expect(await check('relay env-1 state')).toMatchObject({
    status: 'failed',
    detail: expect.stringContaining('Relay access denied'),
  });
  await ctx
    .db('relays')
    .where({ id })
    .update({ trouble_at: new Date(0) });
  await setRelayPaused(ctx, operator, 'env-1', true);
  expect(await check('relay env-1 state')).toMatchObject({ status: 'warning', fix: expect.stringContaining('resume') });
  await setRelayPaused(ctx, operator, 'env-1', false);
});

describe('the source of direct delivery', () => {
  const name = 'relay direct PTR of 192.0.2.40';

  test('needs a PTR record that leads back and is what we greet with', async () => {
    expect(await check(name)).toMatchObject({ status: 'failed', detail: expect.stringContaining('no PTR record') });
    dns.ptr('192.0.2.40', 'out.mail.test');
    expect(await check(name)).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('does not lead back'),
    });
    dns.addresses('out.mail.test', '192.0.2.40');
    expect(await check(name)).toMatchObject({ status: 'ok' });
    dns.clear();
    dns.ptr('192.0.2.40', 'host40.example.net');
    dns.addresses('host40.example.net', '192.0.2.40');
    expect(await check(name)).toMatchObject({ status: 'warning', detail: expect.stringContaining('we greet as') });
  });

  test('is looked up at the blocklists of the setting', async () => {
    dns.addresses('40.2.0.192.list.test', '127.0.0.2');
    dns.addresses('40.2.0.192.other.test', '127.255.255.254');
    expect(await check('relay direct 192.0.2.40 at list.test')).toMatchObject({ status: 'failed' });
    expect(await check('relay direct 192.0.2.40 at other.test')).toMatchObject({ status: 'ok' });
  });

  test('is wanted', async () => {
    expect(await check('relay bare source')).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('--source'),
    });
  });
});

test('the bounce host should have both records for TLS or none', async () => {
  const name = 'policy of the bounce host';
  expect(await check(name)).toMatchObject({ status: 'skipped' });
  dns.txt('_mta-sts.bounces.mail.test', 'v=STSv1; id=1;');
  expect(await check(name)).toMatchObject({ status: 'warning', fix: expect.stringContaining('TLSRPTv1') });
  dns.txt('_smtp._tls.bounces.mail.test', 'v=TLSRPTv1; rua=mailto:tls@mail.test');
  expect(await check(name)).toMatchObject({ status: 'ok' });
});
