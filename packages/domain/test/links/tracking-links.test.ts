import fc from 'fast-check';
import { createTrackingTokenMaker, createTrackingTokenParser } from '../../src/links/tracking-links.js';

const config = { secretKey: 'a secret that is only good for tests', previousSecretKeys: [] };
const make = createTrackingTokenMaker(config);
const read = createTrackingTokenParser(config);

const part = fc.record({
  emailId: fc.uuid(),
  position: fc.option(fc.nat({ max: 54 })),
  url: fc.option(fc.webUrl()),
});

test('a token says what it was made from', () => {
  fc.assert(fc.property(part, (given) => expect(read(make(given))).toEqual(given)));
});

test('no changed token is accepted', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split('');
  fc.assert(
    fc.property(part, fc.nat(), fc.constantFrom(...alphabet), (given, at, character) => {
      const token = make(given);
      const index = at % token.length;
      const changed = `${token.slice(0, index)}${character}${token.slice(index + 1)}`;
      if (changed !== token) expect(read(changed)).toBeNull();
    }),
  );
});

test('no other text is accepted, and no token of another key', () => {
  const given = { emailId: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370', position: 0, url: 'https://shop.example/' };
  const token = make(given);
  for (const text of [
    '',
    'x',
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    `${token}.`,
    token.toUpperCase(),
    token.slice(0, 20),
  ])
    expect(read(text)).toBeNull();
  const other = { secretKey: 'another secret that is only for tests', previousSecretKeys: [] };
  expect(createTrackingTokenParser(other)(token)).toBeNull();
});

test('a token of an earlier SECRET_KEY is accepted', () => {
  const given = { emailId: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370', position: null, url: 'https://shop.example/' };
  const changed = { secretKey: 'another secret that is only for tests', previousSecretKeys: [config.secretKey] };
  expect(createTrackingTokenParser(changed)(make(given))).toEqual(given);
});

test('a token makes a URL longer by a third and 40 characters', () => {
  expect(make({ emailId: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370', position: 0, url: null })).toHaveLength(39);
  const url = `https://shop.example/${'x'.repeat(79)}`;
  expect(make({ emailId: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370', position: 0, url })).toHaveLength(172);
});
