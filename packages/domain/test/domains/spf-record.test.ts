import { evaluateSpf } from '../../src/domains/spf-record.js';

const include = 'include:mail.example';
const expected = `v=spf1 ${include} ~all`;

describe('evaluateSpf', () => {
  test.each([
    ['~all'],
    ['-ALL '],
    [''],
    ['a mx ptr -all'],
    ['a:x.example/24 mx/24//64 a//64 mx:%{d}//128 ptr:x.example ?all'],
    ['ip4:192.0.2.1 ip4:192.0.2.0/24 ip6:2001:db8::/32 ip6:::ffff:192.0.2.1 ~all'],
    ['include:other.example ~all'],
    ['exists:%{ir}.%{l1r-}.x.example. redirect=other.example'],
    ['exp=why.%{d2} x-made.up=any%%thing'],
  ])('accepts our include with %j before and after it', (terms) => {
    const before = terms.replace(/[-?~]?all/i, '');
    for (const record of [`v=spf1 ${include} ${terms}`, `V=SPF1 ${before} +Include:Mail.example. ~all`]) {
      expect([record, evaluateSpf(expected, ['other=1', record])]).toEqual([
        record,
        { status: 'verified', message: null },
      ]);
    }
  });

  test.each([
    ['ipv4:192.0.2.1'],
    ['ip4:192.0.2.256'],
    ['ip4:192.0.2.0/33'],
    ['ip4:192.0.2.0/024'],
    ['ip4:2001:db8::1'],
    ['ip4'],
    ['ip6:192.0.2.1'],
    ['ip6:2001:db8::/129'],
    ['ip6:fe80::1%eth0'],
    ['a:'],
    ['a/33'],
    ['a:nodot'],
    ['a:x.123'],
    ['mx:x.example/24/64'],
    ['exists'],
    ['include:'],
    ['all:x.example'],
    ['redirect='],
    ['exp=nodot'],
    ['%{d}'],
    ['a:%{z}.example'],
    ['a:%d.example'],
    ['+redirect=x.example'],
    ['ünï.example'],
    [',ip4:192.0.2.1'],
  ])('refuses a record with the invalid term %s', (term) => {
    const { status, message } = evaluateSpf(expected, [`v=spf1 ${include} ${term} ~all`]);
    expect([status, message]).toEqual(['wrong', expect.stringContaining(`the term ${term},`)]);
  });

  test.each([
    [`v=spf1 ${include}\t~all`, 'Tabs and line breaks'],
    [`v=spf1\t${include} ~all`, 'begin with v=spf1 and a space'],
    [`v=spf1, ${include}, ~all`, 'begin with v=spf1 and a space'],
    [`v=spf1${include} ~all`, 'begin with v=spf1 and a space'],
    [`'v=spf1 ${include} ~all'`, 'without quotes'],
    [` v=spf1 ${include} ~all`, 'begin with v=spf1 and a space'],
    [`"v=spf1 ${include} ~all"`, 'without quotes'],
    [`v=spf1 ${include}" "~all`, 'without quotes'],
    [`v=spf1 ${include} redirect=a.example Redirect=b.example`, 'redirect= appears twice'],
    [`v=spf1 ${include} exp=a.example exp=b.example`, 'exp= appears twice'],
    [`v=spf1 ?${include} ~all`, `Write ${include} instead`],
    [`v=spf1 -${include} ~all`, `Write ${include} instead`],
    [`v=spf1 -all ${include}`, 'before -all'],
    ['v=spf1 include:evil-mail.example ~all', `does not have ${include}`],
  ])('refuses %j', (record, message) => {
    expect(evaluateSpf(expected, [record])).toEqual({ status: 'wrong', message: expect.stringContaining(message) });
  });

  test('refuses several records', () => {
    expect(evaluateSpf(expected, [expected, expected])).toMatchObject({ status: 'wrong' });
  });

  test('ignores TXT values that are not records', () => {
    expect(evaluateSpf(expected, ['v=spf10 ~all', 'something']).status).toBe('missing');
  });

  test('evaluates TXT values from a hostile zone quickly', () => {
    for (const part of ['a.', '%{d}', 'a-', '-', '.', '1', '/1']) {
      expect(evaluateSpf(expected, [`v=spf1 a:${part.repeat(20_000)}! ${include}`]).status).toBe('wrong');
    }
  });
});
