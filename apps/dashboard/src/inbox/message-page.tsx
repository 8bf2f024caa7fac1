import { Anchor, Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loaded';
import { PageFrame } from '../ui/page-frame';
import { MessageDetail } from './message-detail';
import { inboxMessageQuery, infoQuery } from './queries';

export function MessagePage({ id }: { readonly id: string }) {
  const query = useQuery(inboxMessageQuery(id));
  if (query.data === null) return <MessageNotFound />;
  const title = query.data === undefined ? 'Message' : query.data.Subject || '(no subject)';
  return (
    <PageFrame
      title={title}
      windowTitle={`${title} · Posthorn inbox`}
      actions={
        <Button component="a" href="/" variant="default">
          All messages
        </Button>
      }
    >
      <Loaded query={query} skeleton={<MessageSkeleton />}>
        {(message) => message && <MessageDetail message={message} />}
      </Loaded>
    </PageFrame>
  );
}

function MessageSkeleton() {
  return (
    <>
      <Skeleton height={140} />
      <Skeleton height={640} />
    </>
  );
}

function MessageNotFound() {
  const { data: info } = useQuery(infoQuery);
  return (
    <PageFrame title="Message not found" windowTitle="Not found · Posthorn inbox">
      <EmptyState
        title="No message has this ID"
        text={`It may have been deleted. The inbox keeps only the newest ${info?.MaxMessages ?? ''} messages.`}
      >
        <Anchor href="/">All messages</Anchor>
      </EmptyState>
    </PageFrame>
  );
}
