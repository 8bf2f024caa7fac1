import type { Template } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../api/request';
import { confirm } from '../ui/confirm';
import { notifyDone, notifyProblem } from '../ui/notify';
import { templatePath, templatesKey } from './queries';

export function useDeleteTemplate(): (template: Template) => Promise<void> {
  const queryClient = useQueryClient();
  const deletion = useMutation({
    mutationFn: ({ id }: Template) => request('DELETE', templatePath(id)),
    onSuccess: (_response, { name }) => notifyDone(`${name} was deleted.`),
    onError: notifyProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: templatesKey }),
  });
  return async (template) => {
    const confirmed = await confirm({
      title: `Delete ${template.name}?`,
      text: 'New emails can no longer use it, and all its versions are deleted. Emails that were already accepted will still be sent.',
      action: 'Delete template',
    });
    if (confirmed) deletion.mutate(template);
  };
}
