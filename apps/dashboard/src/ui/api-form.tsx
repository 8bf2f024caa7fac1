import { Button, type ButtonProps, Group, Stack } from '@mantine/core';
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { ApiError } from '../api/request';
import { ProblemAlert } from './loaded';

type Options<Values extends object, Data> = UseFormInput<Values> & {
  readonly submit: (values: Values) => Promise<Data>;
  readonly onDone: (data: Data, values: Values) => void;
};

/**
 * A form that the API validates. Field errors appear next to their inputs; `problem` contains any other error. The
 * form's field names must match those of the request.
 */
export function useApiForm<Values extends object, Data>({ submit, onDone, ...input }: Options<Values, Data>) {
  const form = useForm<Values>(input);
  const [problem, setProblem] = useState<Error | null>(null);
  const mutation = useMutation({
    mutationFn: submit,
    // The input and the response may be secret, so the cache does not keep them after the form is closed.
    gcTime: 0,
    onMutate: () => setProblem(null),
    onSuccess: onDone,
    onError: (error) => setProblem(setFormErrors(form, error)),
  });
  return {
    form,
    problem,
    pending: mutation.isPending,
    onSubmit: form.onSubmit((values) => mutation.mutate(values)),
  };
}

/** For a field with a name, an address or a URL, which browsers and phones must neither correct nor complete. */
export const verbatim = { autoCapitalize: 'none', autoComplete: 'off', spellCheck: false } as const;

export const modeChoices = [
  { value: 'live', label: 'Live' },
  { value: 'test', label: 'Test' },
];

/** For `useApiForm`. Turns off the browser's validation, because the API validates the input. */
export function ApiForm(props: ComponentProps<'form'>) {
  return <form {...props} noValidate />;
}

type FormActionsProps = {
  /** What the form does, such as `Create key`. */
  readonly action: string;
  readonly pending: boolean;
  readonly onCancel: () => void;
} & Pick<ButtonProps, 'color' | 'disabled'>;

/** The buttons at the end of a form in a dialog. */
export function FormActions({ action, pending, onCancel, ...button }: FormActionsProps) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" loading={pending} {...button}>
        {action}
      </Button>
    </Group>
  );
}

type DialogFormProps = FormActionsProps &
  Pick<ComponentProps<'form'>, 'onSubmit' | 'children'> & {
    readonly problem: Error | null;
  };

/** A form in a dialog: its fields, the error that belongs to none of them, and its buttons. */
export function DialogForm({ onSubmit, problem, children, ...actions }: DialogFormProps) {
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        {children}
        <ProblemAlert error={problem} />
        <FormActions {...actions} />
      </Stack>
    </ApiForm>
  );
}

/**
 * Shows the API's field errors next to their inputs and focuses the first one.
 * @returns the error, unless every part of it is shown next to an input
 */
export function setFormErrors<Values extends object>(form: UseFormReturnType<Values>, error: Error): Error | null {
  const errors = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  const values = form.getValues();
  const shown = errors.flatMap(({ field: path, message }) => {
    const field = path in values ? path : toField(path);
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
function toField(path: string): string {
  return path.replace(/[.[].*$/, '');
}
