import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { simulatorEndingOf, simulatorEndings } from '@posthorn/domain/format';
import { givenPosition } from './dedupe-recipients.js';
import type { SendRequest } from './send-request.js';

const KINDS = ['to', 'cc', 'bcc'] as const;

/** What the simulator does with the recipients of an email. */
export type Simulated = {
  /** Whether any recipient is an address of the simulator. */
  readonly any: boolean;
  /** The recipients that the simulator treats as suppressed. */
  readonly suppressed: readonly string[];
};

/**
 * @param domain SIMULATOR_DOMAIN
 * @throws Refusal validation_failed for an address that the simulator does not have
 */
export function findSimulated(request: SendRequest, domain: string): Simulated {
  let any = false;
  const suppressed: string[] = [];
  for (const kind of KINDS) {
    for (const [index, { address }] of request[kind].entries()) {
      const ending = simulatorEndingOf(address, domain);
      if (ending === 'unknown') {
        const field = `${kind}[${givenPosition(kind, index, request.duplicates)}]`;
        throw unknownAddress(field, address, domain);
      }
      if (ending === 'suppressed') suppressed.push(address);
      any ||= ending !== null;
    }
  }
  return { any, suppressed };
}

function unknownAddress(field: FieldFault['field'], address: string, domain: string): Error {
  const known = simulatorEndings.map((ending) => `${ending}@`).join(', ');
  return invalid({ field, message: `is ${address}, but the simulator at ${domain} only has ${known}` });
}
