import { openSecret, sealSecret } from '../../src/secrets/sealed-secret.js';

const config = { secretKey: 'one secret of more than 32 characters', previousSecretKeys: [] };
const secret = Buffer.from('a confidential text');

describe('a sealed secret', () => {
  test('opens with the same SECRET_KEY for the same owner, and is different each time it is sealed', () => {
    const [first, second] = [sealSecret(config, secret, 'owner'), sealSecret(config, secret, 'owner')];
    expect(openSecret(config, first, 'owner')).toEqual(secret);
    expect(openSecret(config, second, 'owner')).toEqual(secret);
    expect(first.bytes).not.toEqual(second.bytes);
    expect(first.bytes.includes(secret)).toBe(false);
  });

  test('does not open for another owner, or after a bit has been flipped', () => {
    const sealed = sealSecret(config, secret, 'owner');
    expect(() => openSecret(config, sealed, 'thief')).toThrow();
    for (const index of [0, 12, 28, sealed.bytes.length - 1]) {
      const bytes = Buffer.from(sealed.bytes);
      bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
      expect(() => openSecret(config, { ...sealed, bytes }, 'owner')).toThrow();
    }
  });

  test('identifies the SECRET_KEY that it needs without revealing it', () => {
    const sealed = sealSecret(config, secret, 'owner');
    const other = { secretKey: 'another secret of more than 32 characters', previousSecretKeys: [] };
    expect(() => openSecret(other, sealed, 'owner')).toThrow(
      new RegExp(
        `^A stored secret needs the SECRET_KEY with the id ${sealed.secretKeyId}, but this process has the one with the id [0-9a-f]{8}\\. Set SECRET_KEY to the value that the secret was stored with, or add that value to SECRET_KEY_PREVIOUS\\.$`,
      ),
    );
  });

  test('opens after SECRET_KEY was changed, as long as the earlier value is known', () => {
    const sealed = sealSecret(config, secret, 'owner');
    const previousSecretKeys = ['an unrelated secret of more than 32 characters', config.secretKey];
    const changed = { secretKey: 'another secret of more than 32 characters', previousSecretKeys };
    expect(openSecret(changed, sealed, 'owner')).toEqual(secret);
    expect(sealSecret(changed, secret, 'owner').secretKeyId).not.toBe(sealed.secretKeyId);
  });

  test('cannot be made without a SECRET_KEY', () => {
    expect(() => sealSecret({ secretKey: null }, secret, 'owner')).toThrow('SECRET_KEY is missing');
  });
});
