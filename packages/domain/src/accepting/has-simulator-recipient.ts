import { simulatorEndingOf, simulatorEndings } from '../addresses/simulator-address.js';
import { type FieldFault, invalid } from '../errors.js';
import type { SendRequest } from './send-request.js';

const KINDS = ['to', 'cc', 'bcc'] as const;

/**
 * Whether any recipient is an address of the simulator.
 * @param domain SIMULATOR_DOMAIN
 * @throws Refusal validation_failed for an address that the simulator does not have
 */
export function hasSimulatorRecipient(request: SendRequest, domain: string): boolean {
  let found = false;
  for (const kind of KINDS) {
    for (const [index, { address }] of request[kind].entries()) {
      const ending = simulatorEndingOf(address, domain);
      if (ending === null) continue;
      if (ending === 'unknown') throw unknownAddress(`${kind}[${index}]`, address, domain);
      found = true;
    }
  }
  return found;
}

function unknownAddress(field: FieldFault['field'], address: string, domain: string): Error {
  const known = simulatorEndings.map((ending) => `${ending}@`).join(', ');
  return invalid({ field, message: `is ${address}, but the simulator at ${domain} only has ${known}` });
}
