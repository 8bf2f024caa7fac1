import type { Template, TemplateVersion } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request } from '../../api/request';
import { confirm } from '../../ui/confirm';
import { notifyDone, notifyProblem } from '../../ui/notify';
import { templatePath, templateQuery, templatesKey } from '../queries';

/** Restores a version: its content, defaults and samples become a new version. */
export function useRestore(onRestored: (template: Template) => void) {
  const queryClient = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (version: TemplateVersion) =>
      request<Template>('POST', `${templatePath(version.template_id)}/versions/${version.version}/restore`),
    onSuccess(template, { version }) {
      queryClient.setQueryData(templateQuery(template.id).queryKey, template);
      notifyDone(`Version ${version} was restored as version ${template.version}.`);
      onRestored(template);
    },
    onError: notifyProblem,
    onSettled: () => queryClient.invalidateQueries({ queryKey: templatesKey }),
  });
  const restore = async (version: TemplateVersion) => {
    const confirmed = await confirm({
      title: `Restore version ${version.version}?`,
      text: 'Its subject, HTML, text and defaults become a new version, which new emails use. Earlier versions stay, and emails that were already accepted keep theirs.',
      action: 'Restore',
    });
    if (confirmed) mutate(version);
  };
  return { restore, isPending };
}
