import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createDataFolder } from '../src/data-folder.js';
import { startAll } from '../src/start-all.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const checkout = join(import.meta.dirname, '..', '..', '..');
const data = createTemporaryFolder();
const folder = createDataFolder(checkout, data.path);

afterAll(() => data.remove());

/** Runs `npm start` or, with `watch`, `npm run dev`, without their signal handlers. */
async function start({ watch }: { watch: boolean }) {
  const stops: Array<() => Promise<void> | void> = [];
  const lines: string[] = [];
  const shutdown = { add: (stop: () => Promise<void> | void) => stops.push(stop), exit: async () => {} };
  const stop = async () => {
    for (const next of stops.reverse()) await next();
  };
  await startAll({ folder, shutdown, print: (line) => lines.push(line), watch }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { runtime: JSON.parse(readFileSync(folder.runtimeFile, 'utf8')), output: lines.join('\n'), stop };
}

async function getJson(url: string) {
  return (await fetch(url)).json() as Promise<{ total: number; messages: { Subject: string }[] }>;
}

test('an email sent with the printed key arrives in the inbox, and all data survives a restart', async () => {
  const first = await start({ watch: false });
  const { runtime } = first;
  expect(Object.keys(runtime).sort()).toEqual(
    [
      'api_key',
      'api_url',
      'dashboard_url',
      'database_url',
      'email',
      'inbox_url',
      'password',
      'redis_url',
      'smtp_url',
    ].sort(),
  );
  expect(statSync(folder.runtimeFile).mode & 0o777).toBe(0o600);
  expect(first.output).toContain(runtime.api_key);

  const sent = await fetch(`${runtime.api_url}/api/v1/emails`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${runtime.api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: ['you@example.com'], subject: 'Hello from a test', text: 'It works.' }),
  });
  expect(sent.status).toBe(202);
  let inbox = await getJson(`${runtime.inbox_url}/api/v1/messages`);
  while (inbox.total === 0) inbox = await getJson(`${runtime.inbox_url}/api/v1/messages`);
  expect(inbox.messages[0]?.Subject).toBe('Hello from a test');
  await first.stop();
  expect(() => readFileSync(folder.runtimeFile)).toThrow('ENOENT');

  const second = await start({ watch: true });
  expect(second.runtime.api_key).toBe(runtime.api_key);
  expect(second.runtime.password).toBe(runtime.password);
  const log = await fetch(`${second.runtime.api_url}/api/v1/emails`, {
    headers: { Authorization: `Bearer ${runtime.api_key}` },
  });
  expect(await log.json()).toMatchObject({ data: [{ subject: 'Hello from a test', status: 'sent' }] });
  expect((await getJson(`${second.runtime.inbox_url}/api/v1/messages`)).total).toBe(1);
  await second.stop();
});
