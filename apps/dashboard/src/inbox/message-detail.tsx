import { useState } from 'react';
import { AttachmentTable } from '../message/attachment-table';
import { Hints } from '../message/hints';
import { MessageTabs } from '../message/message-tabs';
import { Fact, Facts } from '../ui/facts';
import { Section } from '../ui/section';
import { Timestamp } from '../ui/timestamp';
import { formatAddress } from './format-address';
import { MessageHeaders } from './message-headers';
import { type InboxAddress, type InboxMessage, inboxMessagePath } from './queries';

export function MessageDetail({ message }: { readonly message: InboxMessage }) {
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
