import { Button, Stack } from '@mantine/core';
import { OwnersOnly } from '../accounts/owners-only';
import { useSession } from '../accounts/session';
import { useIsOwner } from '../accounts/workspaces';
import { IconDownload } from '../ui/icons';
import { Section } from '../ui/section';
import { EraseForm } from './erase-form';
import { ErasureTable } from './erasure-table';
import { exportPath } from './queries';

export function PrivacySettings() {
  const { workspace } = useSession();
  if (!useIsOwner()) return <OwnersOnly action="erase recipients and export the workspace" />;
  return (
    <Stack gap="lg">
      <Section
        title="Erase a recipient"
        description="Removes a person's address from every email of this workspace, with the content of those emails."
      >
        <EraseForm />
      </Section>
      <Section
        title="Past erasures"
        description="They do not show the address. A copy of it is kept encrypted, only to repeat the erasure after a backup is restored."
      >
        <ErasureTable />
      </Section>
      <Section
        title="Export"
        description="One file with what this workspace has stored: settings, members, templates, webhooks, emails with their content, events and the audit log. The bytes of attachments, secrets and the deliveries of webhooks are not included. Each line is one JSON object."
      >
        <Button
          component="a"
          href={exportPath}
          download={`${workspace.slug}.ndjson`}
          variant="default"
          leftSection={<IconDownload size={14} />}
        >
          Download export
        </Button>
      </Section>
    </Stack>
  );
}
