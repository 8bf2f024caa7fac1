import fc from 'fast-check';
import { createReturnPathMaker, createReturnPathParser } from '../../src/bounces/return-path.js';

const config = { secretKey: 'a secret that is only good for tests', previousSecretKeys: [] };
const make = createReturnPathMaker(config);
const read = createReturnPathParser(config);

const envelopes = fc.record({
  emailId: fc.uuid(),
  positions: fc.uniqueArray(fc.nat(49), { minLength: 1, maxLength: 50 }).map((all) => all.sort((a, b) => a - b)),
});

test('what was created can be read, in upper case too', () => {
  fc.assert(
    fc.property(envelopes, fc.boolean(), (envelope, isUpperCase) => {
      const address = make({ ...envelope, domain: 'mail.example.com' });
      expect(read(isUpperCase ? address.toUpperCase() : address)).toEqual(envelope);
    }),
  );
});

test('a return path does not show how many recipients there are', () => {
  const emailId = '0198c5d2-7e3a-7b41-9c06-1c2d3e4f5a6b';
  for (let count = 1; count <= 10; count += 1) {
    const positions = Array.from({ length: count }, (_, position) => position);
    // A bitmap of 56 bits of which only the first ten can be set has eight digits that are zero.
    expect(make({ emailId, positions, domain: 'example.com' })).not.toMatch(/0{8}/);
  }
});

test('a return path is ours only with the host of its email', () => {
  const envelope = { emailId: '0198c5d2-7e3a-7b41-9c06-1c2d3e4f5a6b', positions: [0] };
  const [local] = make({ ...envelope, domain: 'mail.example.com' }).split('@');
  expect(read(`${local}@Bounces.Mail.Example.com.`)).toEqual(envelope);
  const others = ['bounces.example.com', 'bounces.other.example', 'bounces.mail.example.com.other.example'];
  for (const host of [...others, 'mail.example.com', 'bounces.']) expect(read(`${local}@${host}`)).toBeNull();
});

test('any other character in the token makes it invalid', () => {
  const address = make({ emailId: '0198c5d2-7e3a-7b41-9c06-1c2d3e4f5a6b', positions: [0, 3], domain: 'example.com' });
  const start = 'b+'.length;
  for (let index = start; index < start + 56; index += 1) {
    const other = address[index] === '0' ? '1' : '0';
    expect(read(address.slice(0, index) + other + address.slice(index + 1))).toBeNull();
  }
});

test.each([
  'b+@bounces.example.com',
  `b+${'0'.repeat(56)}@bounces.example.com`,
  `b+${'v'.repeat(57)}@bounces.example.com`,
  'jane@bounces.example.com',
  '',
])('%s is no return path of ours', (address) => {
  expect(read(address)).toBeNull();
});

test('a return path can still be read after SECRET_KEY was changed', () => {
  const envelope = { emailId: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d370', positions: [0, 3] };
  const previousSecretKeys = ['an unrelated secret', config.secretKey];
  const readLater = createReturnPathParser({
    secretKey: 'another secret that is only good for tests',
    previousSecretKeys,
  });
  expect(readLater(make({ ...envelope, domain: 'mail.example' }))).toEqual(envelope);
});

test('a return path of another SECRET_KEY is not ours', () => {
  const theirs = createReturnPathMaker({ secretKey: 'another secret that is only good for tests' });
  const address = theirs({ emailId: '0198c5d2-7e3a-7b41-9c06-1c2d3e4f5a6b', positions: [0], domain: 'example.com' });
  expect(read(address)).toBeNull();
});
