import type { Template } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { request } from '../api/request';
import { notifyDone, notifyProblem } from '../ui/notify';
import { templatePath, templatesKey } from './queries';

/** Copies a template and opens the copy. */
export function useDuplicateTemplate(): (template: Template) => void {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: ({ id }: Template) => request<Template>('POST', `${templatePath(id)}/duplicate`, {}),
    onSuccess: ({ id, name }) => {
      notifyDone(`${name} was created.`);
      void navigate({ to: '/templates/$id', params: { id } });
    },
    onError: notifyProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: templatesKey }),
  });
  return mutate;
}
