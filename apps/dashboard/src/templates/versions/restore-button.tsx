import { Button, Text } from '@mantine/core';
import type { Template, TemplateVersion } from '@posthorn/contract';
import { useNavigate } from '@tanstack/react-router';
import { isSameContent } from '../template-content';
import { useRestore } from './use-restore';

type Props = { readonly template: Template; readonly version: TemplateVersion };

/** Shows no button if restoring the version would change nothing. */
export function RestoreButton({ template, version }: Props) {
  const navigate = useNavigate();
  const { restore, isPending } = useRestore(() => {
    void navigate({ to: '/templates/$id/versions', params: { id: template.id } });
  });
  if (version.version === template.version) return null;
  const isSame =
    isSameContent(template, version) && JSON.stringify(template.variables) === JSON.stringify(version.variables);
  if (isSame) return <Text size="sm">Same as the current version</Text>;
  return (
    <Button variant="default" loading={isPending} onClick={() => void restore(version)}>
      Restore
    </Button>
  );
}
