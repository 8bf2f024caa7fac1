import { useMutation, useQueryClient } from '@tanstack/react-query';
import { workspacesQuery } from '../accounts/workspaces';
import { notifyDone, notifyProblem } from '../ui/notify';
import { membersQuery } from './queries';

type Change = {
  readonly act: () => Promise<unknown>;
  /** The notice on success. */
  readonly done: string;
};

/** Changes a member, then reloads the list and the user's own role, which may have changed too. */
export function useMemberMutation(): (change: Change) => void {
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ act }: Change) => act(),
    onSuccess: (_, { done }) => notifyDone(done),
    onError: notifyProblem,
    // Reloads after an error too, because another owner may have changed the list in the meantime.
    onSettled: () =>
      Promise.all([queryClient.invalidateQueries(membersQuery), queryClient.invalidateQueries(workspacesQuery)]),
  });
  return mutate;
}
