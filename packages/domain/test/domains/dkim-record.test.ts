import { evaluateDkim } from '../../src/domains/dkim-record.js';

const KEY = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A';
const expected = `v=DKIM1; k=rsa; p=${KEY}`;

describe('evaluateDkim', () => {
  test.each([
    [expected],
    [`p=${KEY}`],
    [` v = DKIM1 ;k=rsa;p=${KEY};`],
    [`v=DKIM1; p=${KEY.slice(0, 9)} \t\r\n ${KEY.slice(9)}; k=rsa`],
    [`v=DKIM1; h=sha1:sha256; s=email; t=s; n=our "key"; x_new=1; p=${KEY}`],
  ])('accepts %j', (value) => {
    expect(evaluateDkim(expected, [value])).toEqual({ status: 'verified', message: null });
  });

  test.each([
    ['v=DKIM1; k=rsa; p=', 'has no key'],
    [`V=DKIM1; P=${KEY}`, 'has no key'],
    [`v=dkim1; p=${KEY}`, 'must be v=DKIM1'],
    [`v=DKIM1 x; p=${KEY}`, 'must be v=DKIM1'],
    [`k=rsa; v=DKIM1; p=${KEY}`, 'must come first'],
    [`v=DKIM1; k=RSA; p=${KEY}`, 'must be k=rsa'],
    [`v=DKIM1; h=SHA256; p=${KEY}`, 'h='],
    [`v=DKIM1; s=Email; p=${KEY}`, 's='],
    [`v=DKIM1; p=AAAA; p=${KEY}`, 'p= tag appears twice'],
    [`v=DKIM1; p=${KEY}; p=${KEY}`, 'p= tag appears twice'],
    [`v=DKIM1; rsa; p=${KEY}`, 'not a tag of the form'],
    [`v=DKIM1;; p=${KEY}`, 'not a tag of the form'],
    [`v=DKIM1; p=${KEY.toLowerCase()}`, 'a different key'],
    [`v=DKIM1; p=${KEY.slice(0, 9)}"${KEY.slice(9)}`, 'a different key'],
    [`"${expected}"`, 'without quotes'],
    [`'${expected}'`, 'without quotes'],
    [`${expected.slice(0, 20)}" "${expected.slice(20)}`, 'without quotes'],
    [`${expected.slice(0, 20)}""${expected.slice(20)}`, 'without quotes'],
  ])('refuses %j', (value, message) => {
    expect(evaluateDkim(expected, [value])).toEqual({ status: 'wrong', message: expect.stringContaining(message) });
  });

  test.each([[[expected, 'site-verification=1']], [[expected, expected]]])('refuses several records: %j', (values) => {
    expect(evaluateDkim(expected, values)).toEqual({
      status: 'wrong',
      message: expect.stringContaining('2 TXT records'),
    });
  });
});
