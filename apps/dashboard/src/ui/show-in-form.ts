import type { UseFormReturnType } from '@mantine/form';
import { ApiError } from '../api/request';

/**
 * Puts the faults that the API names into the fields of a form that shows them, and the focus into the first.
 * @returns the error, where a field that the form does not show is at fault, or none is
 */
export function showInForm<Values extends object>(form: UseFormReturnType<Values>, error: Error): Error | null {
  const faults = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const values = form.getValues();
  const shown = faults.flatMap(({ field: named, message }) => {
    const field = named in values ? named : listOf(named);
    const input = field in values && form.getInputNode(field);
    return input ? [{ field, message, input }] : [];
  });
  form.setErrors(Object.fromEntries(shown.map(({ field, message }) => [field, message])));
  shown[0]?.input.focus();
  return shown.length > 0 && shown.length === faults.length ? null : error;
}

/** `to` of `to[0]`: a form may have one field for all of a list. */
function listOf(field: string): string {
  return field.replace(/\[\d+\]$/, '');
}
