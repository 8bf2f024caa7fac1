import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReturnPathMaker } from '@posthorn/domain/bounces';
import { migrateDatabase } from '@posthorn/domain/schema';
import { newId } from '@posthorn/platform/values';
import { startPostgres } from '@posthorn/servers';
import { closeTestContext, openTestContext } from '@posthorn/testing';
import { createTransport } from 'nodemailer';
import { openTestInbound } from '../../apps/inbound/test/open-test-inbound.js';
import { dsn } from '../rig/reports.js';

const CERTIFICATES = join(import.meta.dirname, '../../packages/webhooks/test/certificates');
const REPORT = dsn({ address: 'jane@example.com' });

test('with a certificate, the listener takes reports over TLS', async () => {
  const inboundTls = { certFile: join(CERTIFICATES, 'valid.pem'), keyFile: join(CERTIFICATES, 'server.key') };
  const ctx = await openTestContext({
    ownDatabase: 'the listener processes the reports about all workspaces',
    config: { inboundTls },
  });
  const inbound = await openTestInbound(ctx);
  const transport = createTransport({
    host: '127.0.0.1',
    port: inbound.port,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
  });
  const to = createReturnPathMaker(ctx.config)({ emailId: newId(), positions: [0], domain: 'posthorn.localhost' });
  try {
    const { response } = await transport.sendMail({ envelope: { from: '', to }, raw: REPORT });
    expect(response).toMatch(/^250/);
    expect(await ctx.db('feedback_reports')).toHaveLength(1);
  } finally {
    transport.close();
    await inbound.close();
    await closeTestContext(ctx);
  }
});

test('while Postgres is down, the listener answers 451, and the report can be sent again later', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-postgres-'));
  const settings = { fsync: 'off' };
  let postgres = await startPostgres({ dataDir, settings });
  await migrateDatabase(postgres.url);
  const ctx = await openTestContext({ config: { databaseUrl: postgres.url } });
  const inbound = await openTestInbound(ctx);
  const to = createReturnPathMaker(ctx.config)({ emailId: newId(), positions: [0], domain: 'posthorn.localhost' });
  try {
    await postgres.stopImmediately();
    const error = await inbound.send(REPORT, { to }).catch((thrown) => thrown);
    expect([error.responseCode, error.response]).toEqual([451, expect.stringContaining('4.3.0')]);
    // Whether an address is ours is known without Postgres.
    expect(await inbound.send(REPORT, { to: 'jane@example.com' }).catch((thrown) => thrown)).toMatchObject({
      responseCode: 550,
    });
    postgres = await startPostgres({ dataDir, port: postgres.port, settings });
    expect(await inbound.send(REPORT, { to })).toMatch(/^250/);
    expect(await ctx.db('feedback_reports')).toHaveLength(1);
    for (const result of ['failed', 'refused', 'stored'])
      expect(await inbound.registry.metrics()).toContain(`posthorn_reports_received_total{result="${result}"} 1\n`);
    while (!(await inbound.registry.metrics()).includes('posthorn_reports_processed_total{kind="dsn"} 1\n'))
      await sleep(20);
    expect(await inbound.registry.metrics()).toContain('posthorn_reported_recipients_total{event="bounced"} 1\n');
  } finally {
    await inbound.close();
    await closeTestContext(ctx);
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
