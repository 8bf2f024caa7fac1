import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** DER (X.690): a tag, the length of the content, the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const bytes = [content.length >> 8, content.length & 0xff];
  const length = content.length < 128 ? [content.length] : [0x82, ...bytes];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const sha256WithRsa = der(SEQUENCE, Buffer.from('06092a864886f70d01010b0500', 'hex'));
const validity = der(SEQUENCE, ...['200101000000Z', '491231235959Z'].map((time) => der(0x17, Buffer.from(time))));
const noName = der(SEQUENCE);

/** A certificate (RFC 5280, 4.1) that is signed by its own key. */
export function createCertificate({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }): string {
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const serial = der(INTEGER, Buffer.from([1]));
  const signed = der(SEQUENCE, serial, sha256WithRsa, noName, validity, noName, spki);
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey));
  const certificate = der(SEQUENCE, signed, sha256WithRsa, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

export function createRsaKeys() {
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}
