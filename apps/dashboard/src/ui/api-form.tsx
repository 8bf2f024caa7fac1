import { Button, type ButtonProps, Group, Stack } from '@mantine/core';
import { type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form';
import { type ComponentProps, useState } from 'react';
import { ApiError } from '../api/request';
import { ProblemAlert } from './loaded';
import { type ChangeOptions, useChange } from './use-change';

type Options<Values extends object, Data> = UseFormInput<Values> &
  Pick<ChangeOptions<Values, Data>, 'done' | 'onDone' | 'refresh'> & {
    readonly submit: (values: Values) => Promise<Data>;
  };

/**
 * A form that the API validates. Field errors appear next to their inputs; `problem` contains any other error. The
 * form's field names must match those of the request.
 */
export function useApiForm<Values extends object, Data>(options: Options<Values, Data>) {
  const { submit, done, onDone, refresh, ...input } = options;
  const form = useForm<Values>(input);
  const [problem, setProblem] = useState<Error | null>(null);
  const { run, isPending } = useChange({
    change: (values: Values) => {
      setProblem(null);
      return submit(values);
    },
    onProblem: (error) => setProblem(setFormErrors(form, error)),
    done,
    onDone,
    refresh,
  });
  return { form, problem, pending: isPending, onSubmit: form.onSubmit((values) => void run(values)) };
}

/** For a field with a name, an address or a URL, which browsers and phones must neither correct nor complete. */
export const verbatim = { autoCapitalize: 'none', autoComplete: 'off', spellCheck: false } as const;

/** For `useApiForm`. Turns off the browser's validation, because the API validates the input. */
export function ApiForm(props: ComponentProps<'form'>) {
  return <form {...props} noValidate />;
}

export type FormProps = Pick<ComponentProps<'form'>, 'onSubmit' | 'children'> &
  Pick<ButtonProps, 'color' | 'variant' | 'disabled'> & {
    readonly problem: Error | null;
    readonly pending: boolean;
    /** What the form does, such as `Create key`. */
    readonly action: string;
  };

type DialogFormProps = FormProps & {
  readonly cancel?: string;
  /** Without it, there is no other button. */
  readonly onCancel?: () => void;
};

/** A form in a dialog: its fields, the error that belongs to none of them, and its buttons. */
export function DialogForm(props: DialogFormProps) {
  const { onSubmit, problem, children, pending, action, cancel = 'Cancel', onCancel, ...button } = props;
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        {children}
        <ProblemAlert error={problem} />
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              {cancel}
            </Button>
          )}
          <Button type="submit" loading={pending} {...button}>
            {action}
          </Button>
        </Group>
      </Stack>
    </ApiForm>
  );
}

export function RowForm({ onSubmit, problem, children, pending, action, ...button }: FormProps & ButtonProps) {
  return (
    <ApiForm onSubmit={onSubmit}>
      <Stack>
        <ProblemAlert error={problem} />
        <Group align="flex-start" gap="sm">
          {children}
          <Button type="submit" loading={pending} {...button}>
            {action}
          </Button>
        </Group>
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
