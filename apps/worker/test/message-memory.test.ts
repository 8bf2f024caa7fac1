import { type ClaimedEmail, claimEmails } from '@posthorn/domain/delivery';
import { createMessageMemory } from '@posthorn/message';
import { openTestWorker, type TestWorker } from './open-test-worker.js';

const MB = 1_000_000;
const buildEmail = (id: string) => ({ id }) as ClaimedEmail;

/**
 * Reserves memory for emails in order. `started` returns the ids of the emails that have received it, in that order.
 */
function reserveAll(memory: ReturnType<typeof createMessageMemory>, sizes: Record<string, number>) {
  const started: string[] = [];
  const emails = Object.entries(sizes).map(([id, bytes]) => {
    const email = buildEmail(id);
    void memory.reserve(email, bytes).then(() => started.push(id));
    return email;
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    async started() {
      await settle();
      return [...started];
    },
    release: (id: string) => memory.release(emails.find((email) => email.id === id) as ClaimedEmail),
  };
}

describe('memory for large messages', () => {
  test('is given in order, and only up to the limit', async () => {
    const all = reserveAll(createMessageMemory(10 * MB), { a: 4 * MB, b: 4 * MB, c: 4 * MB, d: MB });
    expect(await all.started()).toEqual(['a', 'b']);
    all.release('a');
    expect(await all.started()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('is given to an email that is larger than the limit when no other email has any', async () => {
    const all = reserveAll(createMessageMemory(10 * MB), { a: 4 * MB, huge: 40 * MB, b: 4 * MB });
    expect(await all.started()).toEqual(['a']);
    all.release('a');
    expect(await all.started()).toEqual(['a', 'huge']);
    all.release('huge');
    expect(await all.started()).toEqual(['a', 'huge', 'b']);
  });

  test('is not needed for small messages', async () => {
    const all = reserveAll(createMessageMemory(10 * MB), { a: 10 * MB, large: 4 * MB, small: 1_000 });
    expect(await all.started()).toEqual(['small', 'a']);
    all.release('small');
    expect(await all.started()).toEqual(['small', 'a']);
  });

  test('is released only once', async () => {
    const all = reserveAll(createMessageMemory(10 * MB), { a: 6 * MB, b: 6 * MB, c: 6 * MB });
    all.release('a');
    all.release('a');
    expect(await all.started()).toEqual(['a', 'b']);
  });
});

describe('memory for attachments', () => {
  test('is given as long as there is any, and again after a release', () => {
    const memory = createMessageMemory();
    const [first, second] = [buildEmail('a'), buildEmail('b')];
    expect(memory.keep(first, 40 * MB)).toBe(true);
    expect(memory.keep(second, 40 * MB)).toBe(false);
    memory.release(second);
    expect(memory.keep(second, 40 * MB)).toBe(false);
    memory.release(first);
    memory.release(first);
    expect(memory.keep(second, 40 * MB)).toBe(true);
    expect(memory.keep(first, 40 * MB)).toBe(false);
  });
});

describe('large emails', () => {
  let t: TestWorker;
  beforeEach(async () => {
    t = await openTestWorker({ started: false });
  });
  afterEach(() => t.close());

  const large = (text: string) => ({
    content: { kind: 'raw' as const, subject: 'Large', html: `<p>${text}</p>`, text: text.repeat(300_000) },
  });

  test('are claimed without their bodies, however many are claimed together', async () => {
    const ids = [await t.accept(large('a')), await t.accept(), await t.accept(large('ü'))];
    const claimed = new Map((await claimEmails(t.ctx.db, ids, 60)).map((email) => [email.id, email]));
    expect(ids.map((id) => [claimed.get(id)?.text, claimed.get(id)?.contentBytes])).toEqual([
      [null, 300_008],
      ['Hi', '<p>Hi</p>Hi'.length],
      [null, 600_009],
    ]);
  });

  test('are all delivered with their bodies, alongside small ones', async () => {
    const ids = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => t.accept(large(text))));
    const small = await t.accept();
    t.start({ workerConcurrency: 10 });
    for (const id of [...ids, small]) await t.until(id, 'sent');
    const texts = (await t.sink.waitFor(6)).map(({ parsed }) => (parsed.text ?? '').trim()[0]);
    expect(texts.sort()).toEqual(['H', 'a', 'b', 'c', 'd', 'e']);
  });
});
