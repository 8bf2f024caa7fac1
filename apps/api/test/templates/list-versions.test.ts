import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { createTemplate, path, undeclared } from './template-client.js';

describe('GET /api/v1/templates/{id}/versions', () => {
  let t: TestApi;
  let now = new Date();

  beforeAll(async () => {
    t = await openTestApi({ now: () => now, ownDatabase: 'it has a clock of its own' });
  });
  beforeEach(() => {
    now = new Date('2026-03-01T12:00:00.000Z');
  });
  afterAll(() => t.close());

  const list = (id: string, query: object = {}) => t.api.get(`${path}/${id}/versions`).set(t.auth).query(query);

  /** Changes the template a second later. @returns the status code */
  async function change(id: string, changes: object): Promise<number> {
    now = new Date(now.getTime() + 1_000);
    return (await t.api.patch(`${path}/${id}`).set(t.auth).send(changes)).status;
  }

  const listNumbers = (response: { body: { data: Array<{ version: number }> } }) =>
    response.body.data.map(({ version }) => version);

  test('ends a page early if its versions have many variables', async () => {
    const { id } = await createTemplate(t);
    await t.ctx.db.raw(
      `insert into template_versions (workspace_id, template_id, version, subject, html_body, text_body, variables, created_at)
       select workspace_id, template_id, version + n, subject, html_body, text_body,
         array_fill(repeat('v', 100), array[100]), created_at
       from template_versions, generate_series(1, 59) as n where template_id = ?`,
      [id],
    );
    const found: number[] = [];
    for (let after: string | null = null; ; ) {
      const page: Awaited<ReturnType<typeof list>> = await list(id, { limit: 100, ...(after !== null && { after }) });
      expect(page.text.length).toBeLessThan(500_000);
      found.push(...listNumbers(page));
      after = page.body.next_cursor;
      if (after === null) break;
    }
    expect(found).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
  });

  test('lists every version, newest first, without bodies', async () => {
    const { id } = await createTemplate(t);
    await createTemplate(t);
    await change(id, { subject: 'Dear {{who}}', html_body: '<b>secret</b>' });
    const response = await list(id);
    expect(response.status).toBe(200);
    const common = { object: 'template_version', template_id: id };
    expect(response.body).toEqual({
      object: 'list',
      data: [
        {
          ...common,
          version: 2,
          subject: 'Dear {{who}}',
          variables: undeclared('who', 'name', 'code'),
          created_at: '2026-03-01T12:00:01.000Z',
        },
        {
          ...common,
          version: 1,
          subject: 'Hi {{name}}',
          variables: undeclared('name', 'link', 'code'),
          created_at: '2026-03-01T12:00:00.000Z',
        },
      ],
      has_more: false,
      next_cursor: null,
    });
  });

  test('pages in both directions without a gap', async () => {
    const { id } = await createTemplate(t);
    // More than nine versions, because numbers with two digits sort differently as text.
    for (let version = 2; version <= 11; version += 1) await change(id, { subject: `Version ${version}` });
    const first = await list(id, { limit: 2 });
    expect([listNumbers(first), first.body.has_more, first.body.next_cursor]).toEqual([[11, 10], true, '10']);
    const second = await list(id, { limit: 8, after: first.body.next_cursor });
    expect([listNumbers(second), second.body.next_cursor]).toEqual([[9, 8, 7, 6, 5, 4, 3, 2], '2']);
    const last = await list(id, { limit: 8, after: second.body.next_cursor });
    expect([listNumbers(last), last.body.has_more, last.body.next_cursor]).toEqual([[1], false, null]);
    const newer = await list(id, { limit: 2, before: 8 });
    expect([listNumbers(newer), newer.body.next_cursor]).toEqual([[10, 9], '10']);
    const newest = await list(id, { limit: 2, before: 10 });
    expect([listNumbers(newest), newest.body.next_cursor]).toEqual([[11], null]);
    expect((await list(id, { after: 1 })).body).toEqual({
      object: 'list',
      data: [],
      has_more: false,
      next_cursor: null,
    });
  });

  test('shows no new version after a change that was refused or had no effect', async () => {
    const { id, subject } = await createTemplate(t);
    expect(await change(id, { subject })).toBe(200);
    expect(await change(id, { subject: '{{#section}}' })).toBe(422);
    expect(listNumbers(await list(id))).toEqual([1]);
  });

  test.each([
    { limit: '101' },
    { after: '0' },
    { after: 'x' },
    { before: '1.5' },
    { after: '9999999999' },
    { before: newId() },
    { after: '1', before: '2' },
    { unknown: '1' },
  ])('refuses %j with 422', async (query) => {
    const { id } = await createTemplate(t);
    const response = await list(id, query);
    expect([response.status, response.body.code]).toEqual([422, 'validation_failed']);
  });

  test('answers 404 once the template is deleted', async () => {
    const { id } = await createTemplate(t);
    await t.api.delete(`${path}/${id}`).set(t.auth).expect(200);
    expect((await list(id)).status).toBe(404);
  });

  test('is open to any key and any session, but not without a credential', async () => {
    const { id } = await createTemplate(t);
    const narrow = { Authorization: `Bearer ${await t.keyWith(['emails:send'])}` };
    for (const auth of [narrow, await t.login()])
      expect((await t.api.get(`${path}/${id}/versions`).set(auth)).status).toBe(200);
    expect((await t.api.get(`${path}/${id}/versions`)).status).toBe(401);
  });
});
