import { Anchor, Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AttachmentTable, Hints, MessageHeaders, MessageTabs } from '../message/message-view';
import { Fact, Facts } from '../ui/facts';
import { Loaded } from '../ui/loaded';
import { EmptyState, PageFrame, Section } from '../ui/page';
import { Timestamp } from '../ui/timestamp';
import { type InboxAddress, type InboxMessage, inboxMessagePath, inboxMessageQuery, infoQuery } from './queries';

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

function MessageDetail({ message }: { readonly message: InboxMessage }) {
  const [tab, setTab] = useState<string>();
  const { ID, Subject, HTML, Text, Attachments } = message;
  const path = inboxMessagePath(ID);
  return (
    <>
      <Section title="Details">
        <MessageFacts message={message} />
      </Section>
      <Section title="Content">
        <MessageTabs
          html={HTML}
          text={Text}
          path={path}
          filename={`${ID}.eml`}
          more={[{ name: 'headers', label: 'Headers', content: <MessageHeaders path={path} /> }]}
          open={tab}
          onOpen={setTab}
        />
      </Section>
      <Section title="Hints">
        <Hints message={{ subject: Subject, html: HTML, text: Text }} />
      </Section>
      {Attachments.length > 0 && (
        <Section title="Attachments">
          <AttachmentTable
            files={Attachments.map(({ FileName, ContentType, ContentID, Size }) => ({
              name: FileName,
              type: ContentType,
              contentId: ContentID || null,
              size: Size,
            }))}
            path={path}
          />
        </Section>
      )}
    </>
  );
}

function MessageFacts({ message }: { readonly message: InboxMessage }) {
  const { From, To, Cc, Bcc, ReplyTo, ReturnPath } = message;
  return (
    <Facts>
      <Fact name="From">{formatAddress(From) || '(null sender)'}</Fact>
      <AddressFact name="To" addresses={To} />
      <AddressFact name="Cc" addresses={Cc} />
      <AddressFact name="Bcc" addresses={Bcc} />
      <AddressFact name="Reply-To" addresses={ReplyTo} />
      <Fact name="Return path">{ReturnPath || '(null sender)'}</Fact>
      <Fact name="Date">
        <Timestamp value={message.Date} exact />
      </Fact>
    </Facts>
  );
}

function AddressFact({ name, addresses }: { readonly name: string; readonly addresses: readonly InboxAddress[] }) {
  if (addresses.length === 0) return null;
  return <Fact name={name}>{addresses.map(formatAddress).join(', ')}</Fact>;
}

/** `Ada Lovelace <ada@example.com>`, for display only: the name is not quoted as in a header. */
export function formatAddress({ Name, Address }: InboxAddress): string {
  if (!Name) return Address;
  return Address ? `${Name} <${Address}>` : Name;
}
