import { decodePercents, parseUrl } from '@posthorn/platform/network';

/** Where the content of attachments is stored. `endpoint` includes the bucket. */
export type BlobStoreSetting =
  | { readonly kind: 'postgres' }
  | {
      readonly kind: 's3';
      readonly endpoint: string;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
    };

export const EXPECTED_BLOB_STORE =
  'postgres, or s3://KEY:SECRET@HOST/BUCKET with an optional ?region=REGION, and &insecure=1 for a server without TLS';

const DEFAULT_REGION = 'auto';

/** @returns null if the text is neither `postgres` nor such a URL */
export function parseBlobStore(text: string): BlobStoreSetting | null {
  if (text === 'postgres') return { kind: 'postgres' };
  const url = parseUrl(text);
  if (url === null) return null;
  const { protocol, host, pathname, username, password, searchParams, hash } = url;
  const { region = DEFAULT_REGION, insecure = '0', ...others } = Object.fromEntries(searchParams);
  const [, bucket] = /^\/([^/]+)\/?$/.exec(pathname) ?? [];
  const isComplete = protocol === 's3:' && host && bucket && username && password && region;
  if (!isComplete || hash || !/^[01]$/.test(insecure) || Object.keys(others).length > 0) return null;
  return {
    kind: 's3',
    endpoint: `${insecure === '1' ? 'http' : 'https'}://${host}/${bucket}`,
    region,
    // A percent sign that does not begin an escape is kept.
    accessKeyId: decodePercents(username) ?? username,
    secretAccessKey: decodePercents(password) ?? password,
  };
}
