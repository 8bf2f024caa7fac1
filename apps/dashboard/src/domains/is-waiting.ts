import type { Domain } from '@posthorn/contract';

/** Whether a check may change the domain soon: a record that it needs is not seen, or a new key waits. */
export function isWaiting({ status, records }: Domain): boolean {
  const unseen = records.some((record) => record.required && record.status !== 'verified');
  return status !== 'verified' || unseen || records.some(({ key }) => key === 'pending');
}
