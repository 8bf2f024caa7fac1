import { hash } from 'node:crypto';

/** The bytes of an attachment, which are stored under their hash. */
export class AttachmentContent {
  /** Hex. */
  readonly sha256: string;

  constructor(readonly bytes: Buffer) {
    this.sha256 = hash('sha256', bytes);
  }

  /** In the fingerprint of a request, the hash stands for the bytes. */
  toJSON(): string {
    return this.sha256;
  }
}
