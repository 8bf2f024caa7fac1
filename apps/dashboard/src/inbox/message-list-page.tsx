import { Button, Code, Group, Text, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../ui/data-table';
import table from '../ui/data-table.module.css';
import { Loaded } from '../ui/loaded';
import { EmptyState, PageFrame } from '../ui/page';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import classes from './message-list-page.module.css';
import { formatAddress } from './message-page';
import { type InboxList, type InboxSummary, messageListQuery, PAGE_SIZE } from './queries';

/** The newest messages. @param start how many of them to skip */
export function MessageListPage({ start }: { readonly start: number }) {
  const query = useQuery(messageListQuery(start));
  const { total = 0, unread = 0 } = query.data ?? {};
  const count = `${total} ${total === 1 ? 'message' : 'messages'}, ${unread} unread`;
  return (
    <PageFrame
      title="Inbox"
      windowTitle={unread === 0 ? 'Posthorn inbox' : `(${unread}) Posthorn inbox`}
      description={total === 0 ? undefined : count}
    >
      <Text role="status" hidden={!query.isRefetchError}>
        {query.isRefetchError && 'Cannot reach the inbox. Retrying.'}
      </Text>
      <Loaded query={query} skeleton={<TableSkeleton rows={8} />}>
        {(list) => (list.total === 0 ? <NoMessages /> : <Messages list={list} />)}
      </Loaded>
    </PageFrame>
  );
}

function Messages({ list: { messages, start, total } }: { readonly list: InboxList }) {
  return (
    <>
      <DataTable
        isFramed
        isLinked
        layout="fixed"
        aria-label="Messages"
        rows={messages}
        rowKey={({ ID }) => ID}
        columns={columns}
      />
      {total > PAGE_SIZE && (
        <Group component="nav" aria-label="Pages" justify="space-between">
          <PageLink label="Newer" start={start > 0 ? Math.max(0, start - PAGE_SIZE) : null} />
          <PageLink label="Older" start={start + PAGE_SIZE < total ? start + PAGE_SIZE : null} />
        </Group>
      )}
    </>
  );
}

function PageLink({ label, start }: { readonly label: string; readonly start: number | null }) {
  if (start === null)
    return (
      <Button variant="default" disabled>
        {label}
      </Button>
    );
  return (
    <Button component="a" variant="default" href={`/?start=${start}`}>
      {label}
    </Button>
  );
}

function NoMessages() {
  return (
    <EmptyState
      title="No mail yet"
      text={
        <>
          Send an email with the <Code>curl</Code> command that <Code>npm start</Code> printed. It will appear here
          automatically.
        </>
      }
    />
  );
}

const columns: ReadonlyArray<Column<InboxSummary>> = [
  {
    name: 'Message',
    cell: (message) => (
      <>
        <Text truncate fw={message.Read ? 400 : 700}>
          <a href={`/messages/${message.ID}`} className={table.link} style={{ fontWeight: 'inherit' }}>
            {message.Subject || '(no subject)'}
          </a>
          {!message.Read && <VisuallyHidden>, unread</VisuallyHidden>}
        </Text>
        <Text c="dimmed" truncate>
          {message.Snippet}
        </Text>
        <Text c="dimmed" truncate hiddenFrom="sm">
          {listRecipients(message)}
        </Text>
      </>
    ),
  },
  {
    name: 'From and to',
    from: 'sm',
    className: classes.people,
    cell: (message) => (
      <>
        <Text truncate>{formatAddress(message.From) || '(null sender)'}</Text>
        <Text c="dimmed" truncate>
          {listRecipients(message)}
        </Text>
      </>
    ),
  },
  {
    name: 'Received',
    className: classes.when,
    cell: ({ Created, Attachments }) => (
      <>
        <Text component="div">
          <RelativeTime value={Created} inLink />
        </Text>
        {Attachments > 0 && (
          <Text c="dimmed">
            {Attachments} {Attachments === 1 ? 'file' : 'files'}
          </Text>
        )}
      </>
    ),
  },
];

function listRecipients({ To, Cc, Bcc }: InboxSummary): string {
  return [...To, ...Cc, ...Bcc].map(({ Address }) => Address).join(', ');
}
