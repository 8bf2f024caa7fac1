import { Button, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loaded';
import { PageFrame } from '../ui/page-frame';
import { TableSkeleton } from '../ui/table-skeleton';
import { MessageTable } from './message-table';
import { type InboxList, messageListQuery, PAGE_SIZE } from './queries';

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
      <Text role="status" size="sm" hidden={!query.isRefetchError}>
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
      <MessageTable messages={messages} />
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
