import { type FieldFault, faultAt, invalid, Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';

/**
 * One refusal for a batch, with the faults of all its emails. Each fault begins with the index of its email, such as
 * `[2].from_`. The code is that of the first email that was refused.
 * @param drafts for each email, its draft or its refusal
 * @returns null if no email was refused
 */
export function refusalOfBatch(drafts: readonly unknown[]): Refusal | null {
  const first = drafts.findIndex((draft) => draft instanceof Refusal);
  if (first === -1) return null;
  const faults = drafts.flatMap((draft, index) => (draft instanceof Refusal ? faultsOf(draft, index) : []));
  const refusal = drafts[first] as Refusal;
  if (refusal.code === 'validation_failed') return invalid(...faults);
  refusal.message = `The email at [${first}] was refused. ${refusal.message}`;
  return refusal.with({ faults: faults.slice(0, limits.faults.max) });
}

function faultsOf({ code, message, extras }: Refusal, index: number): FieldFault[] {
  const faults = extras.faults ?? [{ field: '', message: `was refused with ${code}: ${message}` }];
  return faults.map((fault) => faultAt(index, fault));
}
