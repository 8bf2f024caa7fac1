import { type UseFormInput, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { showInForm } from './show-in-form';

type Options<Values extends object, Answer> = UseFormInput<Values> & {
  readonly submit: (values: Values) => Promise<Answer>;
  readonly onDone: (answer: Answer, values: Values) => void;
};

/**
 * A form whose rules are the API's: what it refuses is said beside the field, or by `problem`.
 * The names of the values are those of the request.
 */
export function useApiForm<Values extends object, Answer>({ submit, onDone, ...input }: Options<Values, Answer>) {
  const form = useForm<Values>(input);
  const [problem, setProblem] = useState<Error | null>(null);
  const mutation = useMutation({
    mutationFn: submit,
    // What was typed and answered may be a secret: it goes with the form.
    gcTime: 0,
    onMutate: () => setProblem(null),
    onSuccess: onDone,
    onError: (error) => setProblem(showInForm(form, error)),
  });
  return {
    form,
    problem,
    pending: mutation.isPending,
    onSubmit: form.onSubmit((values) => mutation.mutate(values)),
  };
}
