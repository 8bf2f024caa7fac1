import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate } from '../templates/template-client.js';
import { countEmails } from './usage.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

const to = ['jane@example.com'];
const plain = { to, subject: 'Hello', text: 'Hi' };
const post = (path: string, body: object) => t.api.post(`/api/v1/emails${path}`).set(t.auth).send(body);

/** A file that takes up this many bytes in a message. */
const buildFile = (encodedBytes: number) => ({
  filename: 'large.bin',
  content: Buffer.alloc(Math.floor((encodedBytes / 78) * 57), 'x').toString('base64'),
});

/** Cyrillic is sent as base64, which takes up a third more bytes. */
const cyrillic = (bytes: number) => 'Привет'.repeat(bytes / 12);

const MB = 1_000_000;
const LIMIT = 'the limit is 10,000,000';

/** Sends and checks the same request. @returns the faults, which must be the same */
async function readFaults(body: object) {
  const sent = await post('', body);
  const checked = await post('/check', body);
  expect([sent.status, sent.body.code]).toEqual([422, 'validation_failed']);
  expect([checked.status, checked.body.errors]).toEqual([422, sent.body.errors]);
  expect(await countEmails(t)).toBe(0);
  expect(await t.ctx.db('blobs').where({ workspace_id: t.workspace.id })).toHaveLength(0);
  return sent.body.errors;
}

describe('a message of more than 10 MB in total', () => {
  test('is refused if a template makes it that large', async () => {
    const { id } = await createTemplate(t, { subject: 'Hello', html_body: 'word '.repeat(399_000), text_body: 'Hi' });
    const attachments = [buildFile(9.9 * MB)];
    expect(await readFaults({ to, template_id: id, attachments })).toEqual([
      { field: 'attachments', message: expect.stringMatching(/^make a message of up to 11,9\d\d,\d{3} bytes/) },
    ]);
  });

  test('is refused even without attachments', async () => {
    const { id } = await createTemplate(t, {
      subject: 'Hello',
      html_body: '{{a}}'.repeat(100),
      text_body: '='.repeat(2 * MB),
    });
    const [fault] = await readFaults({ to, template_id: id, template_vars: { a: '='.repeat(20_000) } });
    expect(fault.field).toBe('template_id');
    expect(fault.message).toMatch(
      /^makes a message of up to 12,.* once it is encoded; the limit is 10,000,000\. Shorten/,
    );
    const raw = { to, subject: 'Hello', html: '='.repeat(1.9 * MB), text: '='.repeat(2 * MB) };
    expect(await readFaults(raw)).toEqual([{ field: 'text', message: expect.stringContaining(LIMIT) }]);
  });

  test('is refused if it is smaller before html is encoded, and accepted if it fits after that', async () => {
    const request = (files: number) => ({
      ...{ to, subject: 'Hello' },
      html: cyrillic(1.2 * MB),
      attachments: [buildFile(files)],
    });
    expect(await readFaults(request(8.5 * MB))).toEqual([
      { field: 'attachments', message: expect.stringContaining(`${LIMIT}. Link to large files instead`) },
    ]);
    const fits = request(8.3 * MB);
    expect((await post('', fits)).status).toBe(202);
    const { body } = await post('/check', fits);
    expect(body.size_bytes).toBeGreaterThan(9.9 * MB);
    expect(body.size_bytes).toBeLessThanOrEqual(10 * MB);
  });

  test('is refused if custom headers make it that large', async () => {
    const headers = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`X-Note-${n}`, '漢'.repeat(8_000)]));
    expect(await readFaults({ ...plain, headers, attachments: [buildFile(8.9 * MB)] })).toEqual([
      { field: 'attachments', message: expect.stringContaining(LIMIT) },
    ]);
  });

  test('is refused in a batch, whose other emails are fine', async () => {
    const large = { to, subject: 'Hello', html: '='.repeat(2 * MB), text: '='.repeat(2 * MB) };
    const { status, body } = await post('/batch', [plain, large, plain]);
    expect(status).toBe(422);
    expect(body.errors).toEqual([{ field: '[1].html', message: expect.stringContaining(LIMIT) }]);
    expect(await countEmails(t)).toBe(0);
  });
});
