import type { UseFormReturnType } from '@mantine/form';
import { ApiError } from '../api/request';

/**
 * Puts the faults that the API names into the fields of a form that has them, and the focus into the first.
 * @returns the error, where a field that the form has not is at fault, or none is
 */
export function showInForm<Values extends object>(form: UseFormReturnType<Values>, error: Error): Error | null {
  const faults = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const values = form.getValues();
  const known = faults
    .map(({ field, message }) => ({ field: field in values ? field : listOf(field), message }))
    .filter(({ field }) => field in values);
  form.setErrors(Object.fromEntries(known.map(({ field, message }) => [field, message])));
  const [first] = known;
  if (first) form.getInputNode(first.field)?.focus();
  return known.length > 0 && known.length === faults.length ? null : error;
}

/** `to` of `to[0]`: a form may have one field for all of a list. */
function listOf(field: string): string {
  return field.replace(/\[\d+\]$/, '');
}
