import { newAddress } from '../new-address.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { toProblem } from '../to-problem.js';
import { getCookie } from './session-cookie.js';

describe('POST /auth/login', () => {
  let t: TestApi;
  beforeEach(async () => {
    t = await openTestApi();
  });
  afterEach(() => t.close());

  const logIn = (body: object) => t.api.post('/auth/login').send(body);
  const session = (pair: string) => t.api.get('/auth/session').set('Cookie', pair);

  test('opens a session with an HttpOnly cookie for 30 days', async () => {
    const response = await logIn(t.user);
    expect([response.status, response.body]).toEqual([200, (await session(getCookie(response).pair)).body]);
    expect(response.body).toMatchObject({
      user: { email: t.user.email },
      workspace: { id: t.workspace.id, plan: 'free' },
    });
    const { pair, attributes } = getCookie(response);
    expect(pair).toMatch(/^posthorn_session=[\w-]{43}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax']);
  });

  test('over HTTPS, sets a cookie that is restricted to this host and to HTTPS', async () => {
    const https = await openTestApi({ config: { publicUrl: 'https://mail.example.com' } });
    const response = await https.api.post('/auth/login').send(https.user);
    const { pair, token, attributes } = getCookie(response);
    expect(pair).toBe(`__Host-posthorn_session=${token}`);
    expect(attributes).toContain('Secure');
    await https.api.get('/auth/session').set('Cookie', pair).expect(200);
    await https.api.get('/auth/session').set('Cookie', `posthorn_session=${token}`).expect(401);
    await https.close();
  });

  test('finds the account regardless of case in the address', async () => {
    await logIn({ ...t.user, email: t.user.email.toUpperCase() }).expect(200);
  });

  test('finds an account by the Unicode or ASCII form of its internationalized domain', async () => {
    const address = newAddress('ada');
    const [unicode, ascii] = ['bücher.example', 'xn--bcher-kva.example'].map((domain) =>
      address.replace('example.com', domain),
    );
    await t.api.post('/auth/signup').send({ email: unicode, password: 'correct horse' }).expect(201);
    await logIn({ email: unicode, password: 'correct horse' }).expect(200);
    await logIn({ email: ascii, password: 'correct horse' }).expect(200);
  });

  test('gives the same response for a wrong password and an unknown address', async () => {
    const wrong = await logIn({ ...t.user, password: 'wrong horse' });
    const unknown = await logIn({ ...t.user, email: 'nobody@example.com' });
    const malformed = await logIn({ ...t.user, email: 'no address' });
    expect(toProblem(wrong)).toMatchObject({ status: 401, code: 'invalid_login' });
    expect(toProblem(unknown)).toEqual(toProblem(wrong));
    expect(toProblem(malformed)).toEqual(toProblem(wrong));
    expect(Object.keys(unknown.headers)).toEqual(Object.keys(wrong.headers));
    expect(wrong.headers['set-cookie']).toBeUndefined();
  });

  test('creates a new token each time and never reuses one from the request', async () => {
    const planted = 'A'.repeat(43);
    const response = await logIn(t.user).set('Cookie', `posthorn_session=${planted}`);
    expect(getCookie(response).token).not.toBe(planted);
    expect(getCookie(await logIn(t.user)).token).not.toBe(getCookie(response).token);
    await session(`posthorn_session=${planted}`).expect(401);
  });

  test("ends only the browser's earlier session", async () => {
    const [laptop, phone] = [await t.login(), await t.login()];
    const again = await logIn(t.user).set(laptop);
    await session(laptop.Cookie).expect(401);
    await session(phone.Cookie).expect(200);
    await session(getCookie(again).pair).expect(200);
  });

  test('refuses a form from another site, and accepts non-browser clients', async () => {
    const crossSite = await logIn(t.user).set('Sec-Fetch-Site', 'cross-site');
    expect([crossSite.status, crossSite.body.code]).toEqual([403, 'csrf_rejected']);
    await logIn(t.user).set('Origin', 'https://evil.example').expect(403);
    await logIn(t.user).set('Sec-Fetch-Site', 'same-origin').expect(200);
    await logIn(t.user).expect(200);
  });

  test('refuses a user who was removed from every workspace', async () => {
    await t.ctx.db('memberships').where({ workspace_id: t.workspace.id }).delete();
    const { status, body } = await logIn(t.user);
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  test.each([{}, { email: 'ada@example.com' }, { email: 1, password: 'correct horse' }])(
    'requires both fields: %j',
    async (body) => {
      await logIn(body).expect(422);
    },
  );
});
