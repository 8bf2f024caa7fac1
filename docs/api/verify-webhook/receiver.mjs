import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const MAX_AGE_SECONDS = 300;
const MAX_BODY_BYTES = 1_000_000;
const key = Buffer.from(process.env.POSTHORN_WEBHOOK_SECRET.replace('whsec_', ''), 'base64');

/** Whether Posthorn sent this body, which must be exactly as received. */
function verify(headers, body) {
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (!/^[0-9]{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - timestamp) > MAX_AGE_SECONDS) return false;
  const signed = `${headers['webhook-id']}.${timestamp}.`;
  const expected = createHmac('sha256', key).update(signed).update(body).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    if (!signature.startsWith('v1,')) return false;
    const given = Buffer.from(signature.slice(3), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

createServer(async (request, response) => {
  if (!(request.headers['content-length'] <= MAX_BODY_BYTES)) return response.writeHead(400).end();
  // If the connection breaks, there is nothing to verify.
  const body = await buffer(request).catch(() => '');
  if (!verify(request.headers, body)) return response.writeHead(400).end();
  const event = JSON.parse(body);
  console.log(event.type, event.data);
  response.writeHead(204).end();
}).listen(3000);
