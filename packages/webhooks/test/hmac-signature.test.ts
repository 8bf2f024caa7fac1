import { randomInt } from 'node:crypto';
import { encodeWebhookBody } from '@posthorn/domain/webhooks';
import { createSigner, createWebhookSecret } from '@posthorn/webhooks';
import { Webhook } from 'standardwebhooks';

const REQUESTS = 10_000;
const CHARACTERS = ['a', '"', '\\', '\n', '.', 'é', '漢', '😀', '\u2028', '\0', 'v1,', ' '];

/** Repeatable random numbers (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomNumbers>;

/** A body as webhooks post it, with any characters where an address and a server's reply would be. */
function randomBody(random: Random): string {
  const length = random(500) === 0 ? 20_000 : random(200);
  const text = Array.from({ length }, () => CHARACTERS[random(CHARACTERS.length)]).join('');
  return encodeWebhookBody({
    type: 'email.bounced',
    timestamp: new Date(1_800_000_000_000 + random(1_000_000_000)).toISOString(),
    data: {
      email_id: `0198c5d2-${random(1_000)}`,
      recipient: text.slice(0, 50),
      status: 'bounced',
      reason: text,
      mode: 'live',
    },
    sequence: random(100),
  });
}

/** The verifier compares timestamps with its own clock. */
const nowSeconds = () => Math.floor(Date.now() / 1_000);

function randomRequest(random: Random) {
  const id = `evt_${random(1_000_000_000)}`;
  return { id, timestampSeconds: nowSeconds() - random(250), body: randomBody(random) };
}

const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
const secrets = [createWebhookSecret(), createWebhookSecret()];
const verifiers = secrets.map((secret) => new Webhook(secret));

test(`an independent verifier accepts our requests (seed ${seed})`, () => {
  const random = randomNumbers(seed);
  const [current, rotating] = [createSigner(secrets.slice(0, 1)), createSigner(secrets)];
  for (let count = 0; count < REQUESTS; count += 1) {
    const request = randomRequest(random);
    if (count % 2 === 0) {
      expect(() => verifiers[0]?.verify(request.body, { ...current(request) })).not.toThrow();
    } else {
      for (const verifier of verifiers)
        expect(() => verifier.verify(request.body, { ...rotating(request) })).not.toThrow();
    }
  }
});

type Signed = { headers: Record<string, string>; body: string };

/** Each changes one thing of a signed request. */
const alterations: ReadonlyArray<(signed: Signed, random: Random) => Signed> = [
  ({ headers, body }) => ({ headers: { ...headers, 'webhook-id': `${headers['webhook-id']}0` }, body }),
  ({ headers, body }) => ({
    headers: { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
    body,
  }),
  ({ headers, body }, random) => {
    const at = random(body.length);
    return { headers, body: body.slice(0, at) + (body[at] === 'x' ? 'y' : 'x') + body.slice(at + 1) };
  },
  ({ headers, body }) => ({ headers, body: `${body} ` }),
  ({ headers, body }, random) => {
    const signature = headers['webhook-signature'] ?? '';
    // Not the last character, some bits of which are not used.
    const at = 'v1,'.length + random(42);
    const changed = signature[at] === 'A' ? 'B' : 'A';
    return {
      headers: { ...headers, 'webhook-signature': signature.slice(0, at) + changed + signature.slice(at + 1) },
      body,
    };
  },
];

test(`an independent verifier refuses altered requests (seed ${seed})`, () => {
  const random = randomNumbers(seed + 1);
  const sign = createSigner(secrets.slice(0, 1));
  const stranger = createSigner([createWebhookSecret()]);
  for (let count = 0; count < REQUESTS; count += 1) {
    const request = randomRequest(random);
    const alter = alterations[count % (alterations.length + 1)];
    const headers: Record<string, string> = alter ? { ...sign(request) } : { ...stranger(request) };
    const altered = alter ? alter({ headers, body: request.body }, random) : { headers, body: request.body };
    expect(() => verifiers[0]?.verify(altered.body, altered.headers)).toThrow();
  }
});

test('the current secret signs first', () => {
  const request = { id: 'evt_1', timestampSeconds: nowSeconds(), body: '{}' };
  const [current, old] = secrets.map((secret) => createSigner([secret])(request)['webhook-signature']);
  expect(createSigner(secrets)(request)).toEqual({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(request.timestampSeconds),
    'webhook-signature': `${current} ${old}`,
  });
});

test('a new secret is 32 random bytes in standard base64', () => {
  const made = Array.from({ length: 100 }, createWebhookSecret);
  expect(new Set(made).size).toBe(100);
  for (const secret of made) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});

test('what is not a secret is refused, and the error does not contain it', () => {
  expect(() => createSigner(['c2VjcmV0'])).toThrow('A webhook secret must start with whsec_.');
  expect(() => createSigner([])).toThrow('at least one secret');
});
