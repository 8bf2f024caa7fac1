import { type UseFormInput, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { setFormErrors } from './set-form-errors';

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
