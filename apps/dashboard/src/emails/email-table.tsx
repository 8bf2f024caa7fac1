import { Paper, Table, Text } from '@mantine/core';
import type { EmailSummary } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import rowLink from '../ui/row-link.module.css';
import { RelativeTime, Timestamp } from '../ui/timestamp';
import { EmailStatusBadge } from './email-status-badge';
import classes from './email-table.module.css';

type Props = {
  readonly emails: readonly EmailSummary[];
  /** For screen readers. */
  readonly label: string;
};

/** Each row links to its email. On narrow screens, the first column also shows what the hidden columns contain. */
export function EmailTable({ emails, label }: Props) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table layout="fixed" verticalSpacing="sm" horizontalSpacing="md" highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Subject</Table.Th>
            <Table.Th scope="col" className={classes.to} visibleFrom="sm">
              To
            </Table.Th>
            <Table.Th scope="col" className={classes.status}>
              Status
            </Table.Th>
            <Table.Th scope="col" className={classes.when} visibleFrom="sm">
              Accepted
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {emails.map((email) => (
            <Row key={email.id} email={email} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Row({ email }: { readonly email: EmailSummary }) {
  const { id, subject, status, to } = email;
  return (
    <Table.Tr className={rowLink.row}>
      <Table.Td>
        <Text size="sm" truncate>
          <Link to="/emails/$id" params={{ id }} className={rowLink.link}>
            {subject || '(no subject)'}
          </Link>
        </Text>
        <Text size="sm" c="dimmed" truncate hiddenFrom="sm">
          {recipients(to)}
        </Text>
        <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
          <When email={email} />
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Text size="sm" truncate>
          {recipients(to)}
        </Text>
      </Table.Td>
      <Table.Td>
        <EmailStatusBadge status={status} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Text size="sm" component="div">
          <When email={email} />
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

function When({ email }: { readonly email: EmailSummary }) {
  const { id, status, created_at: createdAt, scheduled_at: scheduledAt } = email;
  return (
    <Link to="/emails/$id" params={{ id }} className={classes.time} tabIndex={-1}>
      <RelativeTime value={createdAt} inLink />
      {status === 'scheduled' && scheduledAt !== null && (
        <Text size="xs" c="dimmed" component="div">
          for <Timestamp value={scheduledAt} inLink />
        </Text>
      )}
    </Link>
  );
}

function recipients([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}
