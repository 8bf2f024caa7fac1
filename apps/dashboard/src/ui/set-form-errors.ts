import type { UseFormReturnType } from '@mantine/form';
import { ApiError } from '../api/request';

/**
 * Shows the API's field errors next to their inputs and focuses the first one.
 * @returns the error, unless every part of it is shown next to an input
 */
export function setFormErrors<Values extends object>(form: UseFormReturnType<Values>, error: Error): Error | null {
  const errors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const values = form.getValues();
  const shown = errors.flatMap(({ field: path, message }) => {
    const field = path in values ? path : fieldOf(path);
    const input = field in values && form.getInputNode(field);
    // One input may hold several values, such as headers by name.
    const text = path.includes('.') ? `${path}: ${message}` : message;
    return input ? [{ field, message: text, input }] : [];
  });
  form.setErrors(Object.fromEntries(shown.map(({ field, message }) => [field, message])));
  shown[0]?.input.focus();
  return shown.length > 0 && shown.length === errors.length ? null : error;
}

/** `to[0]` gives `to` and `tags[0].name` gives `tags`, because a form may have one input for a whole list. */
function fieldOf(path: string): string {
  return path.replace(/[.[].*$/, '');
}
