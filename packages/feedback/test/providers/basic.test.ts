import { type ProviderKind, providers } from '../../src/providers/index.js';
import { EVENTS, toRequest } from './requests.js';

const kinds: ProviderKind[] = ['postmark', 'brevo', 'mailjet', 'sparkpost'];
const SECRETS = ['relay:new:password', 'relay:old'];

const encode = (login: string) => Buffer.from(login).toString('base64');

describe.each(kinds)('%s', (kind) => {
  const verify = (headers: Record<string, string>, secrets = SECRETS) =>
    providers[kind].verify(toRequest({ headers, secrets }));

  test.each(SECRETS)('believes a request with the login %s', async (login) => {
    expect(await verify({ authorization: `Basic ${encode(login)}` })).toEqual(EVENTS);
    expect(await verify({ authorization: `basic  ${encode(login)}` })).toEqual(EVENTS);
  });

  test.each([
    {},
    { authorization: '' },
    { authorization: 'Basic' },
    { authorization: `Basic ${encode('relay:wrong')}` },
    { authorization: `Basic ${encode('relay:new')}` },
    { authorization: `Bearer ${encode('relay:old')}` },
    { authorization: `Basic ${'A'.repeat(100_000)}` },
  ])('asks for a login with 401: %p', async (headers: Record<string, string>) => {
    expect(await verify(headers)).toMatchObject({
      status: 401,
      reason: 'forged',
      wwwAuthenticate: 'Basic realm="feedback", charset="UTF-8"',
    });
  });

  test('believes nothing without a secret', async () => {
    expect(await verify({ authorization: `Basic ${encode('')}` }, [])).toMatchObject({ status: 401 });
  });

  test('says what is wrong with a secret', () => {
    const { findSecretFault } = providers[kind];
    for (const secret of SECRETS) expect(findSecretFault(secret)).toBeNull();
    for (const secret of ['', 'password', ':password', 'user:', 'user:pass\nword'])
      expect(findSecretFault(secret)).toMatch(/^The secret must be/);
  });
});
