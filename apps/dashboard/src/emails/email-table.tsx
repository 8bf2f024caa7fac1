import { Text } from '@mantine/core';
import type { EmailStatus, EmailSummary } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../ui/data-table';
import table from '../ui/data-table.module.css';
import { Caption, StatusBadge } from '../ui/facts';
import { RelativeTime, Timestamp } from '../ui/timestamp';
import { describeStatus } from './email-status';
import classes from './email-table.module.css';

type EmailTableProps = {
  readonly emails: readonly EmailSummary[];
  readonly label: string;
};

/** Each row links to its email. On narrow screens, the first column also shows what the hidden columns contain. */
export function EmailTable({ emails, label }: EmailTableProps) {
  return <DataTable isFramed isLinked layout="fixed" aria-label={label} rows={emails} columns={columns} />;
}

const columns: ReadonlyArray<Column<EmailSummary>> = [
  {
    name: 'Subject',
    cell: (email) => (
      <>
        <Text truncate>
          <Link to="/emails/$id" params={{ id: email.id }} className={table.link}>
            {email.subject || '(no subject)'}
          </Link>
        </Text>
        <Text c="dimmed" truncate hiddenFrom="sm">
          {describeRecipients(email.to)}
        </Text>
        <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
          <When email={email} />
        </Text>
      </>
    ),
  },
  {
    name: 'To',
    from: 'sm',
    className: classes.to,
    cell: ({ to }) => <Text truncate>{describeRecipients(to)}</Text>,
  },
  { name: 'Status', className: classes.status, cell: ({ status }) => <EmailStatusBadge status={status} /> },
  {
    name: 'Accepted',
    from: 'sm',
    className: classes.when,
    cell: (email) => (
      <Text component="div">
        <When email={email} />
      </Text>
    ),
  },
];

function When({ email }: { readonly email: EmailSummary }) {
  const { id, status, created_at: createdAt, scheduled_at: scheduledAt } = email;
  return (
    <Link to="/emails/$id" params={{ id }} className={classes.time} tabIndex={-1}>
      <RelativeTime value={createdAt} inLink />
      {status === 'scheduled' && scheduledAt !== null && (
        <Caption>
          for <Timestamp value={scheduledAt} inLink />
        </Caption>
      )}
    </Link>
  );
}

function describeRecipients([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

export function EmailStatusBadge({ status }: { readonly status: EmailStatus }) {
  const { label, color } = describeStatus(status);
  return <StatusBadge color={color} label={label} />;
}
