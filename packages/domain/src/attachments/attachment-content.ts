import { hash } from 'node:crypto';
import { encodedSize } from '@posthorn/domain/format';

/** The bytes of an attachment, which are stored under their hash. */
export class AttachmentContent {
  /** Hex. */
  readonly sha256: string;

  constructor(readonly bytes: Buffer) {
    this.sha256 = hash('sha256', bytes);
  }

  /** How many bytes the content takes up in a message. */
  get encodedSize(): number {
    return encodedSize(this.bytes.length);
  }

  /** In a request's fingerprint, the hash represents the bytes. */
  toJSON(): string {
    return this.sha256;
  }
}
