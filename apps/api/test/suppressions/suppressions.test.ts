import { operator } from '@posthorn/domain/audit-log';
import { addSuppression, importSuppressions } from '@posthorn/domain/suppressions';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import { newId } from '@posthorn/platform/values';
import { openTestApi, type TestApi, type TestTenant } from '../open-test-api.js';

let t: TestApi;

beforeEach(async () => {
  t = await openTestApi();
});

afterEach(() => t.close());

const path = '/api/v1/suppressions';

const add = (body: object, auth: Record<string, string> = t.auth) => t.api.post(path).set(auth).send(body);
const list = async (query: object = {}) => (await t.api.get(path).set(t.auth).query(query).expect(200)).body.data;
const upload = (csv: string | Buffer, { auth }: Pick<TestTenant, 'auth'> = t) =>
  t.api.post(`${path}/import`).set(auth).set('Content-Type', 'text/csv').send(csv);
const exported = async (query: object = {}) =>
  (
    await t.api
      .get(path)
      .set(t.auth)
      .query({ ...query, format: 'csv' })
      .expect(200)
  ).text;

const complaint = { address: 'jane@example.com', reason: 'complaint', topic: null } as const;

describe('suppressing an address', () => {
  test('returns the suppression, and adding it again returns the same one', async () => {
    const { body } = await add({ address: 'Jane@Example.com', reason: 'manual' }).expect(201);
    expect(body).toEqual({
      object: 'suppression',
      id: expect.any(String),
      address: 'jane@example.com',
      topic: null,
      reason: 'manual',
      email_id: null,
      detail: null,
      created_at: expect.any(String),
    });
    expect((await add({ address: 'jane@example.com' }).expect(201)).body).toEqual(body);
    expect((await t.api.get(`${path}/${body.id}`).set(t.auth).expect(200)).body).toEqual(body);
    expect(await list()).toEqual([body]);
  });

  test('is possible for one topic', async () => {
    const { body } = await add({ address: 'jane@example.com', topic: 'news_letter-1' }).expect(201);
    expect(body.topic).toBe('news_letter-1');
  });

  test.each([
    [{}, 'address'],
    [{ address: 'jane' }, 'address'],
    [{ address: 'Jane <jane@example.com>' }, 'address'],
    [{ address: 'jane@example.com', reason: 'hard_bounce' }, 'reason'],
    [{ address: 'jane@example.com', topic: 'News' }, 'topic'],
    [{ address: 'jane@example.com', topic: '' }, 'topic'],
    [{ address: 'jane@example.com', topic: 'x'.repeat(65) }, 'topic'],
    [{ address: 'jane@example.com', detail: 'x' }, 'detail'],
  ])('%j is refused, and the error names the field', async (body, field) => {
    const response = await add(body);
    expect([response.status, response.body.errors?.[0]?.field]).toEqual([422, field]);
  });
});

test('a list has pages and filters, and leaves out other workspaces and those for all workspaces', async () => {
  t = await openTestApi({ ownDatabase: 'it suppresses an address for all workspaces' });
  await importSuppressions(t.ctx, operator, t.workspace.id, [
    complaint,
    { address: 'joe@example.com', reason: 'unsubscribe', topic: 'news' },
    { address: 'ann@example.com', reason: 'manual', topic: null },
  ]);
  await addSuppression(t.ctx, operator, EVERY_WORKSPACE, { address: 'all@example.com', topic: null, detail: null });
  const other = await t.otherTenant();
  await add({ address: 'other@example.com' }, other.auth).expect(201);
  const listAddresses = async (query: object) =>
    (await list(query)).map((row: { address: string }) => row.address).sort();
  expect(await listAddresses({})).toEqual(['ann@example.com', 'jane@example.com', 'joe@example.com']);
  expect(await listAddresses({ reason: 'complaint' })).toEqual(['jane@example.com']);
  expect(await listAddresses({ topic: 'news' })).toEqual(['joe@example.com']);
  expect(await listAddresses({ address: 'ANN@example.com' })).toEqual(['ann@example.com']);
  const first = await t.api.get(path).set(t.auth).query({ limit: 2 }).expect(200);
  expect(first.body).toMatchObject({ has_more: true, next_cursor: first.body.data[1].id });
  expect(await listAddresses({ limit: 2, after: first.body.next_cursor })).toHaveLength(1);
  for (const query of [{ reason: 'bounce' }, { topic: 'A' }, { address: 'x' }, { format: 'xml' }])
    await t.api.get(path).set(t.auth).query(query).expect(422);
});

test('another tenant gets a 404, and an unknown id does too', async () => {
  const { body } = await add({ address: 'jane@example.com' });
  const other = await t.otherTenant();
  for (const id of [body.id, newId(), 'x']) {
    await t.api.get(`${path}/${id}`).set(other.auth).expect(404);
    await t.api.delete(`${path}/${id}`).set(other.auth).expect(404);
  }
  await t.api.get(`${path}/${body.id}`).set(t.auth).expect(200);
});

test('a test key may neither read nor change suppressions', async () => {
  const { body } = await add({ address: 'jane@example.com' });
  const auth = { Authorization: `Bearer ${await t.keyWith(['emails:send', 'emails:read'], 'test')}` };
  const requests = [
    t.api.get(path).set(auth),
    t.api.get(path).set(auth).query({ format: 'csv' }),
    t.api.get(`${path}/${body.id}`).set(auth),
    add({ address: 'joe@example.com' }, auth),
    t.api.delete(`${path}/${body.id}`).set(auth),
    upload('address\njoe@example.com\n', { auth }),
  ];
  for (const request of requests) {
    const refused = await request.expect(403);
    expect(refused.body.code).toBe('missing_scope');
    expect(refused.body.detail).toMatch(/^Test keys have no access to suppressions/);
  }
  expect(await list()).toHaveLength(1);
});

test('a key needs emails:read to read, and emails:send to change', async () => {
  const [reader, sender] = [await t.keyWith(['emails:read']), await t.keyWith(['emails:send'])];
  const [read, send] = [{ Authorization: `Bearer ${reader}` }, { Authorization: `Bearer ${sender}` }];
  const { body } = await add({ address: 'jane@example.com' }, send).expect(201);
  await add({ address: 'joe@example.com' }, read).expect(403);
  await upload('address\njoe@example.com\n', { auth: read }).expect(403);
  await t.api.get(path).set(send).expect(403);
  await t.api.get(`${path}/${body.id}`).set(read).expect(200);
  await t.api.delete(`${path}/${body.id}`).set(read).expect(403);
  await t.api.delete(`${path}/${body.id}`).set(send).expect(200);
});

describe('removing a suppression', () => {
  test('needs no reason, unless the recipient complained', async () => {
    const { body } = await add({ address: 'joe@example.com' });
    const removed = await t.api.delete(`${path}/${body.id}`).set(t.auth).expect(200);
    expect(removed.body).toEqual({ object: 'suppression', id: body.id, deleted: true });
    await t.api.delete(`${path}/${body.id}`).set(t.auth).expect(404);
  });

  test('of a complaint needs a reason of 1 to 500 characters, which the audit log keeps', async () => {
    await importSuppressions(t.ctx, operator, t.workspace.id, [complaint]);
    const [{ id }] = await list();
    const remove = (query: object) => t.api.delete(`${path}/${id}`).set(t.auth).query(query);
    for (const query of [{}, { because: '' }, { because: ' ' }, { because: 'x'.repeat(501) }]) {
      const refused = await remove(query).expect(422);
      expect(refused.body.errors[0].field).toBe('because');
    }
    await remove({ because: 'x'.repeat(500) }).expect(200);
    const entry = await t.ctx
      .db('audit_log')
      .where({ workspace_id: t.workspace.id, action: 'suppression.removed' })
      .first();
    expect(JSON.stringify(entry)).toContain('x'.repeat(500));
  });
});

describe('importing a CSV file', () => {
  test('adds what is new, and keeps what is there', async () => {
    await add({ address: 'jane@example.com' });
    const csv = [
      '\ufeffAddress,Reason,Topic',
      'Jane@Example.com,,',
      '"joe@example.com", unsubscribe ,"news"',
      'joe@example.com,unsubscribe,news',
      '',
      ',,',
      'ann@example.com,complaint',
    ];
    const { body } = await upload(csv.join('\r\n')).expect(200);
    expect(body).toEqual({ object: 'suppression_import', rows: 4, added: 2 });
    const rows = (await list()).map((row: Record<string, unknown>) => [row.address, row.reason, row.topic]);
    expect(rows.sort()).toEqual([
      ['ann@example.com', 'complaint', null],
      ['jane@example.com', 'manual', null],
      ['joe@example.com', 'unsubscribe', 'news'],
    ]);
  });

  test('names every faulty line, and then adds nothing', async () => {
    const csv = [
      'address,reason,topic',
      'jane@example.com,manual,',
      'jane,manual,',
      'joe@example.com,blocked,',
      'joe@example.com,manual,News',
      ',manual,',
      'joe@example.com,manual,news,x',
      'a@example.com;manual,,',
      'joe@example.com,complaint,news',
      'say"hi,manual,',
    ];
    const { body } = await upload(csv.join('\n')).expect(422);
    expect(body.errors).toEqual([
      { field: 'line 3', message: expect.stringMatching(/^has an invalid address: it must be an address without/) },
      { field: 'line 4', message: expect.stringMatching(/^has an unknown reason\. It must be one of: hard_bounce, /) },
      { field: 'line 5', message: expect.stringMatching(/^has an invalid topic/) },
      { field: 'line 6', message: 'has no address' },
      {
        field: 'line 7',
        message: 'has 4 cells, but the first line names 3 columns. Put quotes around a cell with a comma',
      },
      { field: 'line 8', message: expect.stringMatching(/^has an invalid address/) },
      { field: 'line 9', message: 'has a topic, but a complaint stops all mail. Leave the topic empty' },
      { field: 'line 10', message: expect.stringMatching(/^has a quote/) },
    ]);
    expect(await list()).toEqual([]);
  });

  test('names at most 20 lines', async () => {
    const { body } = await upload(`address\n${'x\n'.repeat(50)}`).expect(422);
    expect(body.errors).toHaveLength(20);
    expect(body.detail).toMatch(/^line 2 has an invalid address: .* There are at least 19 more errors/);
  });

  test.each([
    ['', '', /^is empty\. The first line must name the columns/],
    ['jane@example.com,manual,\n', 'line 1', /^has no column named address/],
    ['address;reason;topic\njane@example.com;manual;\n', 'line 1', /^uses semicolons between the columns/],
    ['address\treason\njane@example.com\tmanual\n', 'line 1', /^uses tabs/],
    ['address,email\n', 'line 1', /^has an unknown column email/],
    ['address,,reason\na@x.test,x,manual\n', 'line 2', /^has a value in column 2, which has no name/],
    ['address,address\n', 'line 1', /^has the column address twice/],
    ['address\n"jane@example.com\n', 'line 2', /a quote before it is not closed/],
    [`address\n"${'x\n'.repeat(20_000)}`, 'line', /a quote before it is not closed/],
    [`address${','.repeat(20_001)}\n`, 'line 1', /^has more than 20,000 characters/],
    [Buffer.from('address\nj\xe4ne@example.com\n', 'latin1'), '', /^is not UTF-8/],
  ])('refuses a file that it cannot read (%#)', async (csv, field, message) => {
    const { body } = await upload(csv).expect(422);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].field).toMatch(new RegExp(`^${field}`));
    expect(body.errors[0].message).toMatch(message);
  });

  test('takes 10,000 rows, but not more, and not more than a megabyte', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, n) => `jane${n}@example.com,,`).join('\n');
    const { body } = await upload(`address,reason,topic\n${rows(10_000)}`).expect(200);
    expect(body).toMatchObject({ rows: 10_000, added: 10_000 });
    const refused = await upload(`address,reason,topic\n${rows(10_001)}`).expect(422);
    expect(refused.body.detail).toBe('The body has more than 10,000 rows. Split it into several files.');
    await upload(`address\n${'x'.repeat(1_000_000)}`).expect(413);
  });

  test.each([
    ['email,created,reason,status\n"a@x.test",1732752000,"550 5.1.1 none, sorry",5.1.1', 'hard_bounce'],
    ['email,ip,created\na@x.test,192.0.2.1,1', 'complaint'],
    ['email,created\na@x.test,1', 'unsubscribe'],
    ['address,code,error,created_at\na@x.test,550,"No such user","Fri, 21 Oct 2026 11:02:55 UTC"', 'hard_bounce'],
    ['address,created_at\na@x.test,"Fri, 21 Oct 2026 11:02:55 UTC"', 'complaint'],
    ['address,created_at\na@x.test,2026-10-21T11:02:55.000Z', 'manual'],
    [
      '"EmailAddress","SuppressionReason","Origin","CreatedAt"\n"a@x.test","SpamComplaint","Recipient","x"',
      'complaint',
    ],
    [
      '"EmailAddress","SuppressionReason","Origin","CreatedAt"\n"a@x.test","ManualSuppression","Customer","x"',
      'manual',
    ],
    ['EmailAddress,Reason,LastUpdateTime\na@x.test,BOUNCE,2026-10-21T11:02:55Z', 'hard_bounce'],
    ['recipient,type,source,description\na@x.test,non_transactional,List Unsubscribe,', 'unsubscribe'],
    ['recipient,type,description\na@x.test,transactional,"550 5.7.1 spam"', 'manual'],
    ['recipient,type,description\na@x.test,non_transactional,', 'unsubscribe'],
    ['email,transactional,non_transactional,description,subaccount_id\na@x.test,TRUE,TRUE,x,0', 'manual'],
    ['recipient,transactional,non_transactional,created\na@x.test,false,true,2026', 'unsubscribe'],
    ['email,reason,detail,created_at\na@x.test,hard-bounce,550,2026', 'hard_bounce'],
    ['email,created,reason,status\na@x.test,1,"550 5.7.1 <a@x.test>: User unknown",5.7.1', 'hard_bounce'],
    ['email,created,reason,status\na@x.test,1,"550 Requested action not taken",5.0.0', 'hard_bounce'],
    ['email,created,reason,status\na@x.test,1,,550', 'hard_bounce'],
    ['email,created,reason,status\na@x.test,1,"552 5.2.2 The mailbox is full",5.2.2', 'hard_bounce'],
    ['address,code,error,created_at\na@x.test,605,"Not delivering to previously bounced address",x', 'hard_bounce'],
    ['address,code,error,created_at\na@x.test,550,"5.1.1 The account does not exist",x', 'hard_bounce'],
    ['sep=,\naddress,reason\na@x.test,manual', 'manual'],
    ['Email Address,First Name,UNSUB_TIME\na@x.test,A,2026', 'unsubscribe'],
    ['address,,reason\na@x.test,,hard_bounce\n,,', 'hard_bounce'],
    ['Address,Reason,Topic,,\nA@x.test,Hard_Bounce,,,\n,,,,', 'hard_bounce'],
  ])('reads lists as other services and spreadsheets write them: %s', async (csv, reason) => {
    const { status, body } = await upload(csv);
    expect([status, body.errors, body.added]).toEqual([200, undefined, 1]);
    expect(await list()).toMatchObject([{ address: 'a@x.test', reason, topic: null }]);
  });

  test.each([
    ['email,created,reason,status\na@x.test,1,"450 later",4.7.1\nb@x.test,1,"550 5.7.1 blocked",5.7.1'],
    ['address,code,error,created_at\na@x.test,421,"Try again later","Fri, 21 Oct 2026 11:02:55 UTC"'],
    ['email,created,reason,status\na@x.test,1,"blocked by spamhaus",5.0.0\nb@x.test,1,"spam content",550'],
    ['email,created,reason,status\na@x.test,1,"550 5.4.5 Daily SMTP relay limit exceeded",5.4.5'],
    ['email,created,reason,status\na@x.test,1,"554 Message refused: DMARC policy of x.test",5.0.0'],
    ['email,created,reason,status\na@x.test,1,"Administrative prohibition",5.7.1'],
    ['address,code,error,created_at\na@x.test,550,"5.7.1 blocked",x\nb@x.test,554,"Message is spam",x'],
    ['email,reason,detail,created_at\na@x.test,hard-bounce,"smtp;550 5.7.1 blocked using zen.spamhaus.org",x'],
    ['recipient,type,source,description\na@x.test,transactional,Bounce Rule,"550 5.7.1 Message is spam"'],
    ['recipient,transactional,non_transactional\na@x.test,false,false'],
  ])('skips refusals that are not about the mailbox: %s', async (csv) => {
    const { body } = await upload(csv).expect(200);
    expect(body).toMatchObject({ rows: csv.split('\n').length - 1, added: 0 });
    expect(await list()).toEqual([]);
  });

  test('takes a long reason of another service', async () => {
    const csv = `email,created,reason,status\na@x.test,1,"550 5.1.1 ${'x'.repeat(5_000)}",5.1.1`;
    expect((await upload(csv).expect(200)).body).toMatchObject({ rows: 1, added: 1 });
  });

  test('a reason that the other service does not have is refused by line', async () => {
    const { status, body } = await upload('EmailAddress,Reason,LastUpdateTime\na@x.test,OTHER,2026');
    const message = 'has the reason OTHER, which exports of Amazon SES do not have. Use one of: BOUNCE, COMPLAINT';
    expect([status, body.errors]).toEqual([422, [{ field: 'line 2', message }]]);
  });

  test('needs the content type text/csv in UTF-8', async () => {
    for (const type of ['application/json', 'text/csv; charset=iso-8859-1', 'text/plain']) {
      const request = t.api.post(`${path}/import`).set(t.auth).set('Content-Type', type);
      const { body } = await request.send('{"address":"x"}').expect(415);
      expect(body.detail).toContain('Send CSV in UTF-8 with "Content-Type: text/csv".');
    }
  });

  test('reads what an export has written, with cells that look like formulas', async () => {
    const addresses = ['+a@example.com', "'+a@example.com", '=b@example.com', '-c@example.com', "'d@example.com"];
    for (const address of addresses) await add({ address }).expect(201);
    await add({ address: 'e@example.com', topic: '-x' }).expect(201);
    const csv = await exported();
    expect(csv).toContain("'+a@example.com,manual,,");
    const before = await list();
    await t.ctx.db('suppressions').where({ workspace_id: t.workspace.id }).delete();
    expect((await upload(csv).expect(200)).body).toMatchObject({ rows: 6, added: 6 });
    const toKey = ({ address, reason, topic }: Record<string, unknown>) => `${address} ${reason} ${topic}`;
    expect((await list()).map(toKey).sort()).toEqual(before.map(toKey).sort());
  });
});

test('an export has every matching suppression, but no erased address', async () => {
  const rows = Array.from({ length: 1_200 }, (_, n) => ({ ...complaint, address: `jane${n}@example.com` }));
  await importSuppressions(t.ctx, operator, t.workspace.id, rows);
  await add({ address: 'joe@example.com' });
  await t.ctx
    .db('suppressions')
    .where({ workspace_id: t.workspace.id, address: 'jane7@example.com' })
    .update({ address: null, address_hash: Buffer.from('x') });
  const lines = (await exported({ reason: 'complaint' })).split('\r\n');
  expect(lines[0]).toBe('address,reason,topic,created_at');
  expect(lines).toHaveLength(1_201);
  const file = await t.api.get(path).set(t.auth).query({ format: 'csv' });
  expect(file.headers['content-disposition']).toBe('attachment; filename="suppressions.csv"');
  await t.api.get(path).set(t.auth).query({ format: 'csv', limit: 5 }).expect(422);
  expect(await list({ limit: 1 })).toMatchObject([{ address: 'joe@example.com' }]);
});
