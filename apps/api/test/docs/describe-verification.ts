import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type SampleLanguage, sampleLanguageNames } from '@posthorn/code-samples';
import { createSigner, createWebhookSecret } from '@posthorn/webhooks';
import { describeIfInstalled } from './describe-with-runtime.js';
import { canVerifyIn, type RunningVerification, type SignedRequest, startVerification } from './start-verification.js';

const START_TIMEOUT_MS = 60_000;

const secret = createWebhookSecret();
const id = '0198c5d2-9a11-7c02-8d44-3b6e0f5a7c21';
const body = JSON.stringify({ type: 'email.sent', data: { reason: 'Ünïcödé 漢字 🎉 "quoted" \\ $HOME %s' } });

function signed(secrets: readonly string[] = [secret], ageSeconds = 0): SignedRequest {
  const timestampSeconds = Math.floor(Date.now() / 1_000) - ageSeconds;
  return { headers: createSigner(secrets)({ id, timestampSeconds, body }), body };
}

function withHeaders(headers: SignedRequest['headers']): SignedRequest {
  const request = signed();
  return { ...request, headers: { ...request.headers, ...headers } };
}

/** A signature of the right length that is wrong. */
const otherSignature = `v1,${Buffer.alloc(32, 1).toString('base64')}`;

const accepted: Readonly<Record<string, () => SignedRequest>> = {
  'a signed message': () => signed(),
  'a message that is four minutes old': () => signed([secret], 240),
  'a message from a clock that is four minutes ahead': () => signed([secret], -240),
  'a message that is also signed with an older secret': () => signed([secret, createWebhookSecret()]),
  'a message that is signed with a newer secret first': () => signed([createWebhookSecret(), secret]),
};

const refused: Readonly<Record<string, () => SignedRequest>> = {
  'an altered body': () => ({ ...signed(), body: body.replace('sent', 'gone') }),
  'a longer body': () => ({ ...signed(), body: `${body}\n` }),
  'a message that is more than five minutes old': () => signed([secret], 310),
  'a message from a clock that is more than five minutes ahead': () => signed([secret], -310),
  'a message that is signed with another secret': () => signed([createWebhookSecret()]),
  'another id': () => withHeaders({ 'webhook-id': id.replace('0', '1') }),
  'another timestamp': () => withHeaders({ 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 1) }),
  'a timestamp that is no number': () => withHeaders({ 'webhook-timestamp': 'now' }),
  'a timestamp of 5,000 digits': () => withHeaders({ 'webhook-timestamp': '1'.repeat(5_000) }),
  'another signature': () => withHeaders({ 'webhook-signature': otherSignature }),
  'a short signature': () => withHeaders({ 'webhook-signature': 'v1,AAAA' }),
  'a signature of another version': () => {
    const { headers } = signed();
    return withHeaders({ 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v2,') ?? '' });
  },
  'an empty signature': () => withHeaders({ 'webhook-signature': '' }),
  'a message without headers': () => ({ headers: {}, body }),
};

/** Describes tests of the verification code in one language. If it is not installed, they are skipped. */
export function describeVerification(language: SampleLanguage): void {
  const title = `the verification code in ${language === 'curl' ? 'Shell' : sampleLanguageNames[language]}`;
  describeIfInstalled(canVerifyIn(language), title, () => defineTests(language));
}

function defineTests(language: SampleLanguage): void {
  let verification: RunningVerification;

  beforeAll(async () => {
    verification = await startVerification(language, secret);
  }, START_TIMEOUT_MS);

  afterAll(() => verification.close());

  test.each(Object.entries(accepted))('accepts %s', async (_, request) => {
    expect(await verification.accepts(request())).toBe(true);
  });

  test.each(Object.entries(refused))('refuses %s', async (_, request) => {
    expect(await verification.accepts(request())).toBe(false);
  });

  if (language === 'curl') return;

  test('answers while another client has begun a request', async () => {
    const idle = await sendRaw(verification, 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n{');
    expect(await verification.accepts(signed())).toBe(true);
    idle.destroy();
  });

  test.each(['-1', 'x', '99999999999999999999'])('answers after a request with the length %s', async (length) => {
    const text = `POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;
    const refusal = await sendRaw(verification, text);
    await once(refusal.resume(), 'close');
    expect(await verification.accepts(signed())).toBe(true);
  });
}

async function sendRaw({ port }: RunningVerification, text: string): Promise<Socket> {
  const socket = connect(port ?? 0, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}
