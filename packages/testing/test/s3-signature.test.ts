import { findSignatureFault } from '../src/s3-server.js';

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
};
const now = new Date('2013-05-24T00:00:00Z');
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function buildRequest(method: string, url: string, signed: Record<string, string>, signature: string) {
  const host = 'examplebucket.s3.amazonaws.com';
  const headers: Record<string, string> = { host, 'x-amz-date': '20130524T000000Z', ...signed };
  const authorization = [
    `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request`,
    `SignedHeaders=${Object.keys(headers).sort().join(';')}`,
    `Signature=${signature}`,
  ].join(',');
  return { method, url, headers: { ...headers, authorization } };
}

/** The examples from Amazon's description. */
const get = buildRequest(
  'GET',
  '/test.txt',
  { range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY },
  'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
);
const put = buildRequest(
  'PUT',
  '/test%24file.text',
  {
    date: 'Fri, 24 May 2013 00:00:00 GMT',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
  },
  '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
);
const list = buildRequest(
  'GET',
  '/?max-keys=2&prefix=J',
  { 'x-amz-content-sha256': EMPTY },
  '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
);

describe('the signature of a request to S3', () => {
  test.each([
    ['GET', get],
    ['PUT', put],
    ['a list', list],
  ])("finds no fault in Amazon's example of %s", (_, request) => {
    expect(findSignatureFault(request, credentials, now)).toBeNull();
  });

  test.each([
    ['another secret', get, { secretAccessKey: 'wrong' }, 'SignatureDoesNotMatch'],
    ['another access key', get, { accessKeyId: 'AKIA2' }, 'InvalidAccessKeyId'],
    ['another region', get, { region: 'eu-central-1' }, 'AuthorizationHeaderMalformed'],
    ['another path', { ...get, url: '/other.txt' }, {}, 'SignatureDoesNotMatch'],
    ['another method', { ...get, method: 'DELETE' }, {}, 'SignatureDoesNotMatch'],
    ['another range', { ...get, headers: { ...get.headers, range: 'bytes=0-99' } }, {}, 'SignatureDoesNotMatch'],
    ['an unsigned header', { ...get, headers: { ...get.headers, 'x-amz-acl': 'public-read' } }, {}, 'AccessDenied'],
    ['no signature', { ...get, headers: { host: 'a' } }, {}, 'AccessDenied'],
  ])('refuses a request with %s', (_, request, others, code) => {
    expect(findSignatureFault(request, { ...credentials, ...others }, now)?.code).toBe(code);
  });

  test('refuses a request from another time', () => {
    const later = new Date(now.getTime() + 16 * 60_000);
    expect(findSignatureFault(get, credentials, later)?.code).toBe('RequestTimeTooSkewed');
  });
});
