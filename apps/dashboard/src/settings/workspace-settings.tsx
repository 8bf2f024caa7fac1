import { Stack } from '@mantine/core';
import { OwnersAlone } from '../accounts/owners-alone';
import { useIsOwner, useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';
import { FactList } from '../ui/fact-list';
import { Section } from '../ui/section';
import { RenameForm } from './rename-form';

export function WorkspaceSettings() {
  const { workspace } = useSession();
  const isOwner = useIsOwner();
  return (
    <Stack gap="lg">
      <Section title="Name" description="What its members see. Nobody you send to does.">
        {isOwner ? <RenameForm name={workspace.name} /> : <b className="breakable">{workspace.name}</b>}
        <OwnersAlone may="rename it" />
      </Section>
      <Section title="Addresses" description="These stay as they are when the workspace is renamed.">
        <FactList
          facts={[
            ['Slug', <Copyable key="slug" value={workspace.slug} what="the slug" />],
            [
              'Platform sender',
              <Copyable key="sender" value={workspace.platform_sender} what="the platform sender address" />,
            ],
            ['Workspace ID', <Copyable key="id" value={workspace.id} what="the workspace's ID" />],
          ]}
        />
      </Section>
    </Stack>
  );
}
