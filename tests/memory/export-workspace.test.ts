import type { Context } from '@posthorn/platform';
import {
  closeTestContext,
  createTestWorkspace,
  openTestContext,
  readPeakResidentMb,
  type TestWorkspace,
} from '@posthorn/testing';
import { type RunningProcess, startProcess } from '../processes.js';

/** Reading one more page of emails must not need more memory than this. */
const MAX_GROWTH_MB = 60;

let ctx: Context;
let api: RunningProcess;
let tenant: TestWorkspace;
let cookie: string;

const headers = () => ({ Cookie: cookie, 'Content-Type': 'application/json' });
const post = (path: string, body: object) =>
  fetch(api.url + path, { method: 'POST', headers: headers(), body: JSON.stringify(body) });

beforeAll(async () => {
  ctx = await openTestContext();
  tenant = await createTestWorkspace(ctx);
  api = await startProcess('api', ctx);
  const login = await post('/auth/login', { email: tenant.email, password: tenant.password });
  cookie = login.headers.get('set-cookie')?.split(';')[0] ?? '';
  const sent = await post('/api/v1/emails', { to: ['jane@example.com'], subject: 'Hello', text: 'Hi' });
  expect(sent.status).toBe(202);
});

afterAll(async () => {
  await api.stop();
  await closeTestContext(ctx);
});

/** Copies the email with a content of 2 kB. */
async function copyEmail(count: number): Promise<void> {
  await ctx.db.raw(
    `with copied as (select * from emails where workspace_id = ? limit 1),
     copies as (
       insert into emails (id, workspace_id, status, from_, from_address, subject, "to", recipient_count, created_at, usage_day)
       select gen_random_uuid(), workspace_id, 'sent', from_, from_address, subject, "to", 1, created_at, usage_day
       from copied, generate_series(1, ?::int) returning id, workspace_id
     ),
     contents as (
       insert into email_contents (email_id, workspace_id, text) select id, workspace_id, repeat('x', 2000) from copies
     )
     insert into email_recipients (email_id, workspace_id, position, kind, address, status, updated_at)
     select id, workspace_id, 0, 'to', 'jane@example.com', 'sent', now() from copies`,
    [tenant.workspaceId, count],
  );
}

/** @returns the number of lines, and the last one */
async function download(): Promise<{ lines: number; last: unknown }> {
  const response = await fetch(`${api.url}/api/v1/export`, { headers: headers() });
  let lines = 0;
  let rest = '';
  let last = '';
  for await (const piece of (response.body as ReadableStream).pipeThrough(new TextDecoderStream())) {
    const parts = `${rest}${piece}`.split('\n');
    rest = parts.pop() ?? '';
    lines += parts.length;
    last = parts.at(-1) ?? last;
  }
  return { lines, last: JSON.parse(last) };
}

test('an export of 20,000 emails needs no more memory than one of 4,000', async () => {
  await copyEmail(4_000);
  const small = await download();
  const peakOfSmall = readPeakResidentMb(api.child.pid ?? 0);
  await copyEmail(16_000);
  const large = await download();
  for (const { lines, last } of [small, large]) expect(last).toEqual({ object: 'export_end', lines: lines - 1 });
  expect(large.lines).toBe(small.lines + 16_000 + 1);
  expect(readPeakResidentMb(api.child.pid ?? 0) - peakOfSmall).toBeLessThan(MAX_GROWTH_MB);
}, 240_000);
