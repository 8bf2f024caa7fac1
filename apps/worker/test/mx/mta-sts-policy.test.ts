import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPolicyId, matchesPolicy, parsePolicy } from '../../src/mx/mta-sts-policy.js';

type Case = {
  case: string;
  txt?: string[];
  policy: string;
  mx: string[];
  id?: string | null;
  mode: string | null;
  used: string[];
};

const cases: Case[] = JSON.parse(readFileSync(join(import.meta.dirname, 'policy-cases.json'), 'utf8'));

test.each(cases.map((each) => [each.case, each] as const))('a policy and the hosts that it allows: %s', (_, each) => {
  const { txt = ['v=STSv1; id=20261128a;'], id = '20261128a', policy: text, mx, mode, used } = each;
  expect(findPolicyId(txt)).toBe(id);
  const policy = parsePolicy(text);
  expect(policy?.mode ?? null).toBe(mode);
  expect(mx.filter((host) => policy !== null && matchesPolicy(host, policy))).toEqual(used);
});

test('the longest age is a year', () => {
  const text = 'version: STSv1\nmode: enforce\nmx: mx.a.example\nmax_age: 99999999999\n';
  expect(parsePolicy(text)?.maxAgeSeconds).toBe(31_557_600);
});

test.each([
  ['v=STSv1; id=1', '1'],
  ['v=STSv1;id=20160831085700Z;', '20160831085700Z'],
  ['v=STSv1 ; id=1 ; ', '1'],
  ['v=STSv1; ext=a:b/c; id=1;', '1'],
  [`v=STSv1; id=${'x'.repeat(32)};`, 'x'.repeat(32)],
  [`v=STSv1; id=${'x'.repeat(33)};`, null],
  ['v=STSv1; id=;', null],
  ['v=STSv1; id=a-b;', null],
  ['v=STSv1;', null],
  ['v=STSv1', null],
  ['v=STSv1; ID=1;', null],
  ['v=stsv1; id=1;', null],
  ['v=STSv2; id=1;', null],
  [' v=STSv1; id=1;', null],
  ['v=STSv1; id=1; x;', null],
  ['v=STSv1;; id=1;', null],
  ['id=1; v=STSv1;', null],
])('the id in the record "%s" is %s', (record, id) => {
  expect(findPolicyId([record])).toBe(id);
});

const LINES = { version: 'version: STSv1', mode: 'mode: enforce', mx: 'mx: mx.a.example', max_age: 'max_age: 60' };
const build = (change: Partial<Record<keyof typeof LINES, string>>) =>
  Object.values({ ...LINES, ...change })
    .filter((line) => line !== '')
    .join('\n');

test.each([
  ['in another order', 'max_age: 60\nmx: mx.a.example\nmode: enforce\nversion: STSv1'],
  ['without a line break at the end', build({})],
  ['with empty lines', `${build({ mode: '\nmode: enforce\n' })}\n\n`],
  ['without spaces', build({}).replaceAll(': ', ':')],
  ['with a key twice, of which the first counts', build({ mode: 'mode: enforce\nmode: none' })],
  ['with an unknown key', `${build({})}\nfuture_key: x: y`],
])('a policy is read %s', (_, text) => {
  expect(parsePolicy(text)).toEqual({ mode: 'enforce', mx: ['mx.a.example'], maxAgeSeconds: 60 });
});

test.each([
  ['without a version', build({ version: '' })],
  ['of another version', build({ version: 'version: STSv2' })],
  ['without a mode', build({ mode: '' })],
  ['with an unknown mode', build({ mode: 'mode: strict' })],
  ['without an age', build({ max_age: '' })],
  ['with a negative age', build({ max_age: 'max_age: -1' })],
  ['with an age that is no number', build({ max_age: 'max_age: 1d' })],
  ['for testing, without hosts', build({ mode: 'mode: testing', mx: '' })],
  ['with a pattern that covers every host', build({ mx: 'mx: *' })],
  ['with an asterisk inside', build({ mx: 'mx: mx.*.example' })],
  ['with several hosts in one line', build({ mx: 'mx: mx1.a.example, mx2.a.example' })],
  ['with an empty host', build({ mx: 'mx:' })],
  ['with a line that is no field', `${build({})}\nhello`],
  ['with a space before the colon', build({ mode: 'mode : enforce' })],
  ['with a key in upper case', build({ mode: 'MODE: enforce' })],
  ['that is HTML', '<html>welcome</html>'],
  ['that is empty', ''],
])('a policy is not valid %s', (_, text) => {
  expect(parsePolicy(text)).toBeNull();
});

test('a policy of the mode none needs no hosts', () => {
  expect(parsePolicy(build({ mode: 'mode: none', mx: '' }))).toEqual({ mode: 'none', mx: [], maxAgeSeconds: 60 });
});

test.each([
  ['MX.A.Example.', 'mx.a.example', true],
  ['mx.a.example', '*.a.example', true],
  ['a.b.a.example', '*.a.example', false],
  ['a.example', '*.a.example', false],
  ['evil-a.example', '*.a.example', false],
  ['mx.a.example', '*.example', false],
  ['mx.bücher.example', '*.xn--bcher-kva.example', true],
  ['[192.0.2.1]', '*.a.example', false],
  ['example', '*.example', false],
])('whether the host %s matches %s: %s', (host, pattern, matches) => {
  expect(matchesPolicy(host, { mx: [pattern] })).toBe(matches);
});
