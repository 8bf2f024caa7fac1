import { claimEmails } from '@posthorn/domain/delivery';
import type { Log } from '@posthorn/platform/logs';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

let t: TestWorker;
let logged: object[];

beforeEach(async () => {
  logged = [];
  const ignore = () => {};
  const info = (fields: object, event: string) => {
    if (event === 'attempt_ended') logged.push(fields);
  };
  const log: Log = { debug: ignore, info, warn: ignore, error: ignore };
  let replies = 0;
  const reply = (command: string) =>
    command === 'DATA' && replies++ === 0 ? { code: 451, text: '4.3.0 Busy' } : undefined;
  t = await openTestWorker({ started: false, config: { leaseSeconds: 1 }, sink: { reply }, log });
});

afterEach(() => t.close());

const REQUEST_ID = '0192f0c1-0000-7000-8000-000000000001';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-00`;

test('a worker logs one line per attempt, with the ids of the email, the request and the trace, and without addresses', async () => {
  const id = await t.accept({ to: ['jane@example.com'] });
  await t.ctx.db('email_contents').where({ email_id: id }).update({ request_id: REQUEST_ID, traceparent: TRACEPARENT });
  t.start();
  await t.until(id, 'sent');
  const origin = { emailId: id, requestId: REQUEST_ID, traceId: TRACE_ID };
  const common = { ...origin, relay: 'env-1', ms: expect.any(Number) };
  expect(logged).toEqual([
    { ...common, outcome: 'deferred' },
    { ...common, outcome: 'sent' },
  ]);
  expect(JSON.stringify(logged)).not.toContain('jane');
});

test('a worker logs the attempt of a worker that vanished', async () => {
  const id = await t.accept();
  await claimEmails(t.ctx.db, [id], 1);
  t.start();
  await t.until(id, 'sent');
  expect(logged[0]).toEqual({ emailId: id, relay: null, outcome: 'ambiguous', ms: null });
  expect(logged).toHaveLength(3);
});
