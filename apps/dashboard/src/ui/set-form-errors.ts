import type { UseFormReturnType } from '@mantine/form';
import { ApiError } from '../api/request';

/**
 * Puts the errors that the API names into the fields of a form that shows them, and the focus into the first.
 * @returns the error, where a field that the form does not show is at fault, or none is
 */
export function setFormErrors<Values extends object>(form: UseFormReturnType<Values>, error: Error): Error | null {
  const errors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const values = form.getValues();
  const shown = errors.flatMap(({ field: path, message }) => {
    const field = path in values ? path : listField(path);
    const input = field in values && form.getInputNode(field);
    return input ? [{ field, message, input }] : [];
  });
  form.setErrors(Object.fromEntries(shown.map(({ field, message }) => [field, message])));
  shown[0]?.input.focus();
  return shown.length > 0 && shown.length === errors.length ? null : error;
}

/** `to` of `to[0]`: a form may have one field for all of a list. */
function listField(field: string): string {
  return field.replace(/\[\d+\]$/, '');
}
