import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { OwnersOnly } from '../accounts/owners-only';
import { useSession } from '../accounts/session';
import { useIsOwner } from '../accounts/workspaces';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { TableSkeleton } from '../ui/table-skeleton';
import { InviteForm } from './invite-form';
import { MemberTable } from './member-table';
import { membersQuery } from './queries';

export function MembersSettings() {
  const query = useQuery(membersQuery);
  const isOwner = useIsOwner();
  const { user } = useSession();
  return (
    <Stack gap="lg">
      {isOwner && (
        <Section title="Invite someone" description="We will email them a link that works for 7 days.">
          {user.email_verified ? (
            <InviteForm />
          ) : (
            <Text size="sm">Confirm your email address first. Then you can invite people.</Text>
          )}
        </Section>
      )}
      <Section
        title="Members"
        description="All members can send and read emails and edit templates. Owners can also manage members, API keys and domains."
      >
        <Stack gap="sm">
          <OwnersOnly action="invite, remove and change members" />
          <Loaded query={query} skeleton={<TableSkeleton rows={2} />}>
            {({ data }) => <MemberTable members={data} />}
          </Loaded>
        </Stack>
      </Section>
    </Stack>
  );
}
