import { Paper, Table, Text, VisuallyHidden } from '@mantine/core';
import rowLink from '../ui/row-link.module.css';
import { RelativeTime } from '../ui/timestamp';
import { formatAddress } from './format-address';
import classes from './message-table.module.css';
import type { InboxSummary } from './queries';

/** Each row links to its message. */
export function MessageTable({ messages }: { readonly messages: readonly InboxSummary[] }) {
  return (
    <Paper withBorder style={{ overflow: 'hidden' }}>
      <Table layout="fixed" verticalSpacing="sm" horizontalSpacing="md" highlightOnHover aria-label="Messages">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Message</Table.Th>
            <Table.Th scope="col" className={classes.people} visibleFrom="sm">
              From and to
            </Table.Th>
            <Table.Th scope="col" className={classes.when}>
              Received
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {messages.map((message) => (
            <Row key={message.ID} message={message} />
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function Row({ message }: { readonly message: InboxSummary }) {
  const { ID, Read, Subject, Snippet, Created, Attachments } = message;
  return (
    <Table.Tr className={rowLink.row}>
      <Table.Td>
        <Text size="sm" truncate fw={Read ? 400 : 700}>
          <a href={`/messages/${ID}`} className={rowLink.link} style={{ fontWeight: 'inherit' }}>
            {Subject || '(no subject)'}
          </a>
          {!Read && <VisuallyHidden>, unread</VisuallyHidden>}
        </Text>
        <Text size="sm" c="dimmed" truncate>
          {Snippet}
        </Text>
        <Text size="sm" c="dimmed" truncate hiddenFrom="sm">
          {recipientsOf(message)}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Text size="sm" truncate>
          {formatAddress(message.From) || '(null sender)'}
        </Text>
        <Text size="sm" c="dimmed" truncate>
          {recipientsOf(message)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Text size="sm" component="div">
          <RelativeTime value={Created} inLink />
        </Text>
        {Attachments > 0 && (
          <Text size="sm" c="dimmed">
            {Attachments} {Attachments === 1 ? 'file' : 'files'}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

function recipientsOf({ To, Cc, Bcc }: InboxSummary): string {
  return [...To, ...Cc, ...Bcc].map(({ Address }) => Address).join(', ');
}
