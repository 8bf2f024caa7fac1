import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { Email } from '@posthorn/contract';
import { Section } from '../ui/section';
import { Attempts } from './attempts';
import { EmailContent } from './email-content';
import { EmailFacts } from './email-facts';
import { EmailHeaders } from './email-headers';
import { RecipientTable } from './recipient-table';
import { Timeline } from './timeline';

export function EmailDetail({ email }: { readonly email: Email }) {
  return (
    <Stack gap="lg">
      <Section title="Details">
        <EmailFacts email={email} />
      </Section>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Section title="Timeline">
          <Timeline events={email.events} />
        </Section>
        <Section title="Recipients">
          <RecipientTable recipients={email.recipients} />
        </Section>
      </SimpleGrid>
      <Section title="Content">
        <EmailContent email={email} />
      </Section>
      <Section title="Delivery attempts">
        {email.attempts.length === 0 ? (
          <Text c="dimmed" size="sm">
            No delivery attempts.
          </Text>
        ) : (
          <Attempts attempts={email.attempts} />
        )}
      </Section>
      <Section title="Headers">
        <EmailHeaders email={email} />
      </Section>
    </Stack>
  );
}
