import { createSigner } from '@posthorn/webhooks';
import { Pool } from 'undici';

/** Signs and posts events from memory with undici, and stores nothing. A message over IPC says how many. */
const { RECEIVER_URL = '', CONNECTIONS = '16', SECRET = '' } = process.env;
const { origin, pathname } = new URL(RECEIVER_URL);
const connections = Number(CONNECTIONS);
const pool = new Pool(origin, { connections });
const sign = createSigner([SECRET]);

process.on('message', async (count: number) => {
  let left = count;
  const post = async () => {
    while (left > 0) {
      left -= 1;
      const id = `0198c5d2-7e3a-7b41-9c06-${String(left).padStart(12, '0')}`;
      const body = JSON.stringify({
        type: 'email.sent',
        timestamp: '2026-11-20T09:30:00.000Z',
        data: { email_id: id, recipient: 'jane@example.com', status: 'sent', reason: null, mode: 'live', sequence: 2 },
      });
      const headers = sign({ id, timestampSeconds: Math.floor(Date.now() / 1_000), body });
      const response = await pool.request({
        path: pathname,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      await response.body.text();
    }
  };
  await Promise.all(Array.from({ length: connections }, post));
});

process.send?.('ready');
