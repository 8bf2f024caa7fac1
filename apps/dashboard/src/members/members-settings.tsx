import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { OwnersOnly } from '../accounts/owners-only';
import { useIsOwner } from '../accounts/workspaces';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { InviteForm } from './invite-form';
import { MemberTable } from './member-table';
import { membersQuery } from './queries';

export function MembersSettings() {
  const query = useQuery(membersQuery);
  const isOwner = useIsOwner();
  return (
    <Stack gap="lg">
      {isOwner && (
        <Section title="Invite somebody" description="A mail brings them a link that works for 7 days.">
          <InviteForm />
        </Section>
      )}
      <Section
        title="Members"
        description="Everybody here sends, reads and edits templates; owners manage members, keys and domains, too."
      >
        <Stack gap="sm">
          <OwnersOnly action="invite, remove and change members" />
          <Loaded query={query}>{({ data }) => <MemberTable members={data} />}</Loaded>
        </Stack>
      </Section>
    </Stack>
  );
}
