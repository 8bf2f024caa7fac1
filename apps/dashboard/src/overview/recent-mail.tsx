import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { EmailTable } from '../emails/email-table';
import { EmailTableSkeleton } from '../emails/email-table-skeleton';
import { newestEmailsQuery } from '../emails/queries';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';

export function RecentMail() {
  const query = useQuery(newestEmailsQuery({ limit: '5' }));
  return (
    <Section
      title="Recent emails"
      actions={
        <Anchor component={Link} to="/emails" size="sm">
          All emails
        </Anchor>
      }
    >
      <Loaded query={query} skeleton={<EmailTableSkeleton rows={5} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed" size="sm">
              None yet. The newest five will be here.
            </Text>
          ) : (
            <EmailTable emails={data} label="Recent emails" />
          )
        }
      </Loaded>
    </Section>
  );
}
