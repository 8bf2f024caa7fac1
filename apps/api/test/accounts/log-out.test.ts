import { openSecondInstance } from '../open-second-instance.js';
import { openTestApi, type TestApi } from '../open-test-api.js';
import { getCookie } from './session-cookie.js';

describe('POST /auth/logout', () => {
  let t: TestApi;
  beforeAll(async () => {
    t = await openTestApi();
  });
  afterAll(() => t.close());

  test('ends the session at once on every process and removes the cookie', async () => {
    const second = await openSecondInstance(t);
    const [leaving, staying] = [await t.login(), await t.login()];
    await second.api.get('/auth/session').set(leaving).expect(200);
    const response = await t.api.post('/auth/logout').set(leaving);
    expect([response.status, response.text]).toEqual([204, '']);
    expect(getCookie(response)).toMatchObject({
      token: '',
      attributes: expect.arrayContaining(['Max-Age=0', 'Path=/']),
    });
    await t.api.get('/auth/session').set(leaving).expect(401);
    await second.api.get('/auth/session').set(leaving).expect(401);
    await t.api.get('/auth/session').set(staying).expect(200);
    await second.close();
  });

  test('succeeds without a session', async () => {
    await t.api.post('/auth/logout').expect(204);
    await t.api.post('/auth/logout').set('Cookie', 'posthorn_session=unknown').expect(204);
  });

  test('refuses a request from another site', async () => {
    const session = await t.login();
    await t.api.post('/auth/logout').set(session).set('Sec-Fetch-Site', 'cross-site').expect(403);
    await t.api.get('/auth/session').set(session).expect(200);
  });
});
