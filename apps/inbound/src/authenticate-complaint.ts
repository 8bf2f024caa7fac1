import { findFeedbackLoop, JUNK_RECIPIENT } from '@posthorn/feedback';
import { readSignedMessage, type SignedMessage, toDkimKeyName, verifyDkimSignature } from '@posthorn/message';
import type { Context } from '@posthorn/platform';
import { createDns, type Dns } from '@posthorn/platform/network';

/** Says whether a mailbox provider has signed a complaint; `unknown` if DNS did not answer. */
export type AuthenticateComplaint = (raw: Buffer) => Promise<boolean | 'unknown'>;

/**
 * Checks the complaints of one round. Anybody can write to a return path, so a complaint only counts if a feedback loop
 * that we know has signed it. If DNS does not answer once, the other complaints of the round do not wait for it.
 */
export function startAuthenticating({ config, now }: Pick<Context, 'config' | 'now'>): {
  readonly authenticate: AuthenticateComplaint;
  close(): void;
} {
  let dns: Dns | undefined;
  let isDown = false;
  async function readKeys(name: string): Promise<readonly string[] | null> {
    if (isDown) return null;
    dns ??= createDns(config);
    const answer = await dns.txt(name);
    isDown = 'failure' in answer;
    return 'values' in answer ? answer.values : null;
  }
  return {
    async authenticate(raw) {
      const message = readSignedMessage(raw, now());
      let isUnknown = false;
      for (const signature of listProviderSignatures(message)) {
        const records = await readKeys(toDkimKeyName(signature));
        if (records && verifyDkimSignature(signature, records)) return true;
        isUnknown ||= records === null;
      }
      return isUnknown ? 'unknown' : false;
    },
    close: () => dns?.close(),
  };
}

const FROM = /^(?:[^<>]*<([^<>\s]+)>|([^<>\s]+))$/;

/** The signatures of feedback loops that cover everything that we read. Only these are worth a question to DNS. */
function listProviderSignatures(message: SignedMessage): SignedMessage['signatures'] {
  const [from = '', ...others] = message.getAll('from');
  const [, inBrackets, alone = ''] = FROM.exec(from) ?? [];
  const address = (inBrackets ?? alone).toLowerCase();
  if (others.length > 0) return [];
  return message.signatures.filter(
    ({ domain, signedFields }) =>
      findFeedbackLoop({ signer: domain, from: address }) !== null &&
      (signedFields.has(JUNK_RECIPIENT) || message.getAll(JUNK_RECIPIENT).length === 0) &&
      (signedFields.has('content-type') || hasOnlyReading(message)),
  );
}

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"]{1,200}))/gi;
const CR = 0x0d;

/**
 * Some feedback loops do not sign Content-Type. With another boundary, the same body would be another report, for
 * example one that is hidden in the text of the returned message. So the body has to begin with the boundary.
 */
function hasOnlyReading({ getAll, body }: SignedMessage): boolean {
  const [type = '', ...others] = getAll('content-type');
  const boundaries = [...type.matchAll(BOUNDARY)].map(([, quoted, bare]) => quoted ?? bare);
  const firstLine = body.toString('latin1', 0, Math.max(body.indexOf(CR), 0)).trimEnd();
  return others.length === 0 && boundaries.length === 1 && firstLine === `--${boundaries[0]}`;
}
