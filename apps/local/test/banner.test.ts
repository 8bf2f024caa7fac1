import { execFileSync } from 'node:child_process';
import { formatBanner, type Runtime } from '../src/start-all.js';

const runtime: Runtime = {
  api_url: 'http://127.0.0.1:3000',
  dashboard_url: 'https://mail.example.com',
  inbox_url: 'http://127.0.0.1:8025',
  email: 'demo@posthorn.localhost',
  password: 'a-password',
  api_key: 'ph_key',
  database_url: 'postgres://posthorn:database-secret@127.0.0.1:5433/posthorn',
  redis_url: 'redis://:redis-secret@127.0.0.1:6380',
  smtp_url: 'smtp://127.0.0.1:1025',
};

test('the banner shows the addresses, the login and the API key', () => {
  const text = formatBanner(runtime);
  for (const needed of [
    'https://mail.example.com',
    'demo@posthorn.localhost',
    'a-password',
    'ph_key',
    'http://127.0.0.1:8025',
    'http://127.0.0.1:3000/docs',
  ]) {
    expect(text).toContain(needed);
  }
});

test('the curl command is on one line and sends a valid request', () => {
  const [line = ''] = formatBanner(runtime)
    .split('\n')
    .filter((text) => text.startsWith('curl '));
  const words = execFileSync('sh', [
    '-c',
    `show() { for word; do echo "$word"; done; }; ${line.replace('curl', 'show')}`,
  ]);
  const [url, , authorization, , type, , body = ''] = words.toString().trim().split('\n');
  expect([url, authorization, type]).toEqual([
    'http://127.0.0.1:3000/api/v1/emails',
    'Authorization: Bearer ph_key',
    'Content-Type: application/json',
  ]);
  const [subject, html, text] = Array.from({ length: 3 }, () => expect.any(String));
  expect(JSON.parse(body)).toEqual({ to: [expect.any(String)], subject, html, text });
});

test('the banner hides the server passwords', () => {
  const text = formatBanner({
    ...runtime,
    inbox_url: null,
    smtp_url: 'smtp://me:smtp-secret@mx.example.com,smtps://x:y@two.example',
  });
  expect(text).toContain('smtp://mx.example.com,smtps://two.example');
  for (const secret of ['smtp-secret', 'database-secret', 'redis-secret']) expect(text).not.toContain(secret);
});
