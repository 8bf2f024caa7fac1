import { Anchor, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MessageView } from '../message/message-view';
import { Fact, Facts, ListFact } from '../ui/facts';
import { Loaded } from '../ui/loaded';
import { EmptyState, PageFrame, Section } from '../ui/page';
import { SectionSkeletons } from '../ui/skeletons';
import { Timestamp } from '../ui/timestamp';
import { type InboxAddress, type InboxMessage, inboxMessageQuery, infoQuery } from './queries';

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
      <Loaded query={query} skeleton={<SectionSkeletons heights={[140, 640]} />}>
        {(message) => message && <MessageDetail message={message} />}
      </Loaded>
    </PageFrame>
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
        <Anchor size="md" href="/">
          All messages
        </Anchor>
      </EmptyState>
    </PageFrame>
  );
}

function MessageDetail({ message }: { readonly message: InboxMessage }) {
  const [tab, setTab] = useState<string>();
  const { ID, Subject, HTML, Text, Attachments } = message;
  return (
    <>
      <Section title="Details">
        <MessageFacts message={message} />
      </Section>
      <MessageView
        message={{
          subject: Subject,
          html: HTML,
          text: Text,
          path: `/api/v1/message/${ID}/raw`,
          filename: `${ID}.eml`,
          attachments: Attachments.map(({ FileName, ContentType, ContentID, Size }) => ({
            name: FileName,
            type: ContentType,
            contentId: ContentID || null,
            size: Size,
          })),
        }}
        open={tab}
        onOpen={setTab}
      />
    </>
  );
}

function MessageFacts({ message }: { readonly message: InboxMessage }) {
  const { From, To, Cc, Bcc, ReplyTo, ReturnPath } = message;
  return (
    <Facts>
      <Fact name="From">{formatAddress(From) || '(null sender)'}</Fact>
      <ListFact name="To" values={To.map(formatAddress)} />
      <ListFact name="Cc" values={Cc.map(formatAddress)} />
      <ListFact name="Bcc" values={Bcc.map(formatAddress)} />
      <ListFact name="Reply-To" values={ReplyTo.map(formatAddress)} />
      <Fact name="Return path">{ReturnPath || '(null sender)'}</Fact>
      <Fact name="Date">
        <Timestamp value={message.Date} exact />
      </Fact>
    </Facts>
  );
}

/** `Ada Lovelace <ada@example.com>`, for display only: the name is not quoted as in a header. */
export function formatAddress({ Name, Address }: InboxAddress): string {
  if (!Name) return Address;
  return Address ? `${Name} <${Address}>` : Name;
}
