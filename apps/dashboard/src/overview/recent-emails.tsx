import { Anchor, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { EmailTable } from '../emails/email-table';
import { newestEmailsQuery } from '../emails/queries';
import { Loaded } from '../ui/loaded';
import { TableSkeleton } from '../ui/table-skeleton';

/** Not a `Section`, because the table has its own border. */
export function RecentEmails() {
  const id = useId();
  const query = useQuery(newestEmailsQuery({ limit: '5' }));
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="sm">
        <Title order={2} id={id}>
          Recent emails
        </Title>
        <Anchor component={Link} to="/emails" size="sm">
          All emails
        </Anchor>
      </Group>
      <Loaded query={query} skeleton={<TableSkeleton rows={5} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Paper withBorder p="md">
              <Text c="dimmed" size="sm">
                No emails yet. Your five newest emails will appear here.
              </Text>
            </Paper>
          ) : (
            <EmailTable emails={data} label="Recent emails" />
          )
        }
      </Loaded>
    </section>
  );
}
