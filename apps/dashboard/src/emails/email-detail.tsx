import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { AttachmentTable } from '../message/attachment-table';
import { Hints } from '../message/hints';
import { Section } from '../ui/section';
import { ShowOlderButton } from '../ui/show-older-button';
import { Attempts } from './attempts';
import { EmailContent } from './email-content';
import { EmailFacts } from './email-facts';
import { EmailHeaders } from './email-headers';
import { messagePath } from './queries';
import { RecipientTable } from './recipient-table';
import { Reports } from './reports';
import { Timeline } from './timeline';
import { useHistory } from './use-history';

export function EmailDetail({ email }: { readonly email: Email }) {
  const events = useHistory(email, 'events');
  const attempts = useHistory(email, 'attempts');
  return (
    <Stack gap="lg">
      <Section title="Details">
        <EmailFacts email={email} />
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Section title="Timeline">
          {events.hasOlder && <ShowOlderButton what="events" isLoading={events.isLoading} onClick={events.showOlder} />}
          <Timeline events={events.entries} />
        </Section>
        <Section title="Recipients">
          <RecipientTable recipients={email.recipients} mode={email.mode} />
        </Section>
      </SimpleGrid>
      <Section title="Content">
        <EmailContent email={email} />
      </Section>
      {email.mode === 'test' && !email.content_removed && (
        <Section title="Hints">
          <Hints message={email} />
        </Section>
      )}
      {email.attachments !== null && email.attachments.length > 0 && (
        <Section title="Attachments">
          <AttachmentTable
            files={email.attachments.map(({ filename, content_type, content_id, size }) => ({
              name: filename,
              type: content_type,
              contentId: content_id,
              size,
            }))}
            path={email.content_removed ? null : messagePath(email.id)}
          />
        </Section>
      )}
      <Section title="Delivery attempts">
        {attempts.entries.length === 0 ? (
          <Text c="dimmed" size="sm">
            No delivery attempts.
          </Text>
        ) : (
          <Attempts attempts={attempts.entries} />
        )}
        {attempts.hasOlder && (
          <ShowOlderButton what="attempts" isLoading={attempts.isLoading} onClick={attempts.showOlder} />
        )}
      </Section>
      <Reports email={email} />
      <Section title="Headers">
        <EmailHeaders email={email} />
      </Section>
    </Stack>
  );
}
