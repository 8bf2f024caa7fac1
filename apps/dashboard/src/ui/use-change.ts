import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { confirm, notifyDone, notifyProblem, type Question } from './notify';

export type ChangeOptions<Input, Data> = {
  readonly change: (input: Input) => Promise<Data>;
  readonly question?: Question | ((input: Input) => Question);
  readonly done?: ((data: Data, input: Input) => string) | undefined;
  readonly onDone?: ((data: Data, input: Input) => unknown) | undefined;
  /** By default, shows the error in a notice. */
  readonly onProblem?: (error: Error) => void;
  /** The queries to refresh. After an error too, because someone else may have changed the data in the meantime. */
  readonly refresh?: readonly QueryKey[] | undefined;
};

/** Changes data through the API: asks the user if necessary, says what happened and refreshes what the page shows. */
export function useChange<Input = void, Data = unknown>(options: ChangeOptions<Input, Data>) {
  const { change, question, done, onDone, onProblem = notifyProblem, refresh = [] } = options;
  const queryClient = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: change,
    // The input and the response may be secret, so the cache does not keep them.
    gcTime: 0,
    async onSuccess(data, input) {
      await onDone?.(data, input);
      if (done) notifyDone(done(data, input));
    },
    onError: onProblem,
    onSettled: () => Promise.all(refresh.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  });
  const run = async (input: Input) => {
    const asked = typeof question === 'function' ? question(input) : question;
    if (!asked || (await confirm(asked))) mutate(input);
  };
  return { run, isPending };
}
