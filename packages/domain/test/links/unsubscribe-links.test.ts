import { findUnsubscribeUrl, openUnsubscribeLink } from '@posthorn/domain/links';
import type { Config } from '@posthorn/platform/config';
import fc from 'fast-check';

const config = {
  secretKey: 'a secret that is only good for tests',
  previousSecretKeys: [],
  publicUrl: 'https://mail.example.com',
} as Pick<Config, 'secretKey' | 'previousSecretKeys' | 'publicUrl'>;

const email = {
  id: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370',
  workspaceId: '0198c5d2-0000-7000-8000-000000000001',
  topic: 'newsletter',
  to: ['Jane Doe <jane@example.com>'],
};
const link = {
  workspaceId: email.workspaceId,
  emailId: email.id,
  topic: 'newsletter',
  address: 'jane@example.com',
};

function getToken(changes: Partial<typeof email> = {}, using = config): string {
  return findUnsubscribeUrl(using, { ...email, ...changes })?.split('/u/')[1] ?? '';
}

describe('the token of an unsubscribe link', () => {
  test('says who unsubscribes from what, without a query', () => {
    expect(openUnsubscribeLink(config, getToken())).toEqual(link);
  });

  test('is the same on every attempt, and different for every email, topic and recipient', () => {
    expect(getToken()).toBe(getToken());
    const others = [
      getToken({ id: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d371' }),
      getToken({ topic: 'offers' }),
      getToken({ to: ['joe@example.com'] }),
    ];
    // The first 12 bytes are the nonce, which must never be used for two contents.
    expect(new Set([getToken(), ...others].map((token) => token.slice(0, 16))).size).toBe(4);
  });

  test('makes a link of fewer than 200 characters that shows neither address nor topic', () => {
    const url = findUnsubscribeUrl(config, email) ?? '';
    expect(url).toMatch(/^https:\/\/mail\.example\.com\/u\/[\w-]+$/);
    expect(url.length).toBeLessThan(200);
    expect(Buffer.from(getToken(), 'base64url').toString('latin1')).not.toMatch(/jane|newsletter/);
  });

  test('fits into one header line even with the longest topic and address', () => {
    const local = 'j'.repeat(64);
    const to = [`${local}@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(57)}.at`];
    const url = findUnsubscribeUrl(config, { ...email, to, topic: 't'.repeat(64) }) ?? '';
    expect(url.length).toBeLessThan(600);
    expect(openUnsubscribeLink(config, getToken({ to, topic: 't'.repeat(64) }))).toMatchObject({ address: to[0] });
  });

  test('cannot be changed', () => {
    const token = getToken();
    const bytes = Buffer.from(token, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(openUnsubscribeLink(config, changed.toString('base64url'))).toBeNull();
    }
    for (const other of [`${token}=`, `${token}A`, token.slice(0, -1), `${token}%`, ` ${token}`])
      expect(openUnsubscribeLink(config, other)).toBeNull();
  });

  test('is never read from a text that is not ours', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => openUnsubscribeLink(config, text) === null),
    );
  });

  test('outlives a change of SECRET_KEY', () => {
    const changed = { ...config, secretKey: 'another secret that is only good for tests' };
    expect(openUnsubscribeLink(changed, getToken())).toBeNull();
    const previousSecretKeys = ['an unrelated secret', config.secretKey ?? ''];
    expect(openUnsubscribeLink({ ...changed, previousSecretKeys }, getToken())).toEqual(link);
  });

  test('does not exist for mail without a topic', () => {
    expect(findUnsubscribeUrl(config, { ...email, topic: null })).toBeNull();
  });
});
