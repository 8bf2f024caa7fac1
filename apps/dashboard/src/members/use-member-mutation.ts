import { useMutation, useQueryClient } from '@tanstack/react-query';
import { workspacesQuery } from '../accounts/workspaces';
import { notifyDone, notifyProblem } from '../ui/notify';
import { membersQuery } from './queries';

type Change = {
  readonly act: () => Promise<unknown>;
  /** What is said when it is done. */
  readonly done: string;
};

/** Changes a member, then reads the list anew, and our own role, which may be another. */
export function useMemberMutation(): (change: Change) => void {
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ act }: Change) => act(),
    onSuccess: (_, { done }) => notifyDone(done),
    onError: notifyProblem,
    // After a refusal, too: somebody else may have changed the list meanwhile.
    onSettled: () =>
      Promise.all([queryClient.invalidateQueries(membersQuery), queryClient.invalidateQueries(workspacesQuery)]),
  });
  return mutate;
}
