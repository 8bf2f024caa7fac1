import fc from 'fast-check';
import { types } from 'mime-types';
import {
  decodeBase64,
  findContentIdFault,
  findContentTypeFault,
  findFilenameFault,
  toMediaType,
  toPlainContentId,
  toPlainMediaType,
} from '../../src/attachments/attachment.js';

describe('base64', () => {
  test('of any bytes is decoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(Buffer.from(bytes));
      }),
    );
  });

  test('is decoded only if encoding the result gives the same text', () => {
    const character = fc.constantFrom(...'AZaz09+/=-_ \n\u00c1\u00e9\u0141\u013d\uff21', '\u{1f600}');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        const decoded = decodeBase64(text);
        if (decoded !== null) expect(decoded.toString('base64')).toBe(text);
        else expect(Buffer.from(text, 'base64').toString('base64')).not.toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test.each(['\u0141AAAAAAA', 'AAAA\u0141AAAAAA=', '\u00c1AAAAAAA', '\u{1f600}AAAAAA'])('is ASCII only: %j', (text) => {
    expect(decodeBase64(text)).toBeNull();
  });
});

test.each([
  ['invoice.pdf', null],
  ['Übersicht (März).xlsx', null],
  ['archive.tar.gz', null],
  ['a', null],
  ['script.js.txt', null],
  ['setup.exe', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['SETUP.EXE', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['setup.exe. .', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['invoice.pdf.scr', 'ends with .scr; mail servers refuse programs. Send a link instead'],
  ['../a.pdf', 'must be a name without a path'],
  ['C:\\a.pdf', 'must be a name without a path'],
  ['..', 'must contain a visible character other than dots'],
  ['\u200b. \u00ad', 'must contain a visible character other than dots'],
  ['setup.exe\u200b', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['setup.e\u00adxe', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['setup.exe\ufe0f. \u2060.', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['\u2764\ufe0f.png', null],
  ['\u0646\u0627\u0645\u0647\u200c\u0647\u0627.pdf', null],
  ['a.exe\u00a0', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['a\uff0eexe', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['a.\uff25\uff38\uff25', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['a.exe:x', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['10:30.exe', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['10:30 report.pdf', null],
  ['=?utf-8?Q?setup=2Eexe?=', 'must not contain =?, which mail programs would decode. Write the name in plain Unicode'],
  ['a\nb', 'must not contain control characters or characters that change the direction of text'],
  ['annexe\u202efdp.txt', 'must not contain control characters or characters that change the direction of text'],
  ['חשבונית\u200f (2).pdf', null],
  ['فاتورة\u200e 2027\u061c.pdf', null],
  ['\u1828\u180b.pdf', null],
  ['exe\u200ffdp.txt', 'must not contain control characters or characters that change the direction of text'],
  ['חשבונית\u2067.pdf', 'must not contain control characters or characters that change the direction of text'],
  ['חשבונית.e\u200fxe', 'must not contain control characters or characters that change the direction of text'],
  ['חשבונית.exe\u200f', 'ends with .exe; mail servers refuse programs. Send a link instead'],
  ['x'.repeat(256), 'has 256 characters; the limit is 255'],
])('the filename %j: %s', (name, fault) => {
  expect(findFilenameFault(name)).toBe(fault);
});

test.each([
  ...['mjs', 'iso', 'img', 'vhd', 'vhdx', 'ws', 'diagcab', 'diagcfg', 'diagpkg', 'jnlp', 'msixbundle', 'ex_'],
  ...['app', 'reg', 'xll'],
])('the extension .%s is refused', (extension) => {
  expect(findFilenameFault(`a.${extension}`)).toContain(`ends with .${extension}`);
});

test.each([
  ['application/pdf', true],
  ['text/calendar; method=REQUEST; charset="utf-8"', true],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', true],
  ['pdf', false],
  ['text/', false],
  ['text/plain\r\nBcc: a@b.c', false],
  ['text/plain; name="a\\"b"', false],
  ['multipart/mixed', false],
  ['image/png; name="setup.exe"', false],
  ['text/plain;filename=evil.exe', false],
  ['text/plain; charset=utf-8; boundary="--x"', false],
  ['text/plain; title="a; name=b"', true],
  [`text/plain; a=${'x'.repeat(250)}`, false],
  ['message/rfc822', true],
  ['message/partial', false],
])('the content type %j is valid: %s', (type, isValid) => {
  expect(findContentTypeFault(type) === null).toBe(isValid);
});

test.each([
  ['logo', true],
  ['logo-1@example.com', true],
  ['', false],
  ['a b', false],
  ['<logo>', false],
  ['.a', false],
  ['a'.repeat(129), false],
])('the content id %j is valid: %s', (id, isValid) => {
  expect(findContentIdFault(id) === null).toBe(isValid);
});

test.each([
  ['text/calendar;  method=REQUEST', 'text/calendar; method=REQUEST'],
  ['text/calendar ; method=REQUEST', 'text/calendar; method=REQUEST'],
  ['text/calendar;method=REQUEST\t;\tcharset=utf-8', 'text/calendar; method=REQUEST; charset=utf-8'],
  ['text/html; title="a ;  b";', 'text/html; title="a ;  b"'],
  [' application/pdf ', 'application/pdf'],
  ['application/pdf', 'application/pdf'],
])('the content type %j is read as %j', (given, type) => {
  expect(toPlainMediaType(given)).toBe(type);
  expect(findContentTypeFault(type)).toBeNull();
});

test.each(['logo', '<logo>', 'cid:logo', '<cid:logo>', 'CID:logo'])('the content id %j is read as logo', (given) => {
  expect(toPlainContentId(given)).toBe('logo');
});

test.each([
  ['invoice.pdf', 'application/pdf'],
  ['PHOTO.JPG', 'image/jpeg'],
  ['data.unknown', 'application/octet-stream'],
  ['README', 'application/octet-stream'],
  ['forwarded.eml', 'message/rfc822'],
  ['FORWARDED.MIME', 'message/rfc822'],
  ['forwarded.u8msg', 'application/octet-stream'],
])('the type of %s is %s', (name, type) => {
  expect(toMediaType(name)).toBe(type);
});

test('the type of any extension is one that the content_type field accepts', () => {
  const found = Object.keys(types).map((extension) => toMediaType(`a.${extension}`));
  expect(found.length).toBeGreaterThan(1_000);
  expect(found.filter((type) => findContentTypeFault(type) !== null)).toEqual([]);
});
