import { Stack } from '@mantine/core';
import { OwnersOnly } from '../accounts/owners-only';
import { useSession } from '../accounts/session';
import { useIsOwner } from '../accounts/workspaces';
import { Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { Section } from '../ui/section';
import { RenameForm } from './rename-form';

export function WorkspaceSettings() {
  const { workspace } = useSession();
  const isOwner = useIsOwner();
  return (
    <Stack gap="lg">
      <Section title="Name" description="Visible to members and the people they invite.">
        {isOwner ? (
          <RenameForm name={workspace.name} />
        ) : (
          <Stack gap="xs">
            <b className="breakable">{workspace.name}</b>
            <OwnersOnly action="rename the workspace" />
          </Stack>
        )}
      </Section>
      <Section title="Identifiers" description="These do not change when you rename the workspace.">
        <Facts columns={1}>
          <Fact name="Slug">
            <Copyable value={workspace.slug} what="the slug" />
          </Fact>
          <Fact name="Platform sender">
            <Copyable value={workspace.platform_sender} what="the platform sender" />
          </Fact>
          <Fact name="Workspace ID">
            <Copyable value={workspace.id} what="the workspace ID" />
          </Fact>
        </Facts>
      </Section>
    </Stack>
  );
}
