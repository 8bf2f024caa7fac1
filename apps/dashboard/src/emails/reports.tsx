import { Accordion, Code, Group, Stack, Text } from '@mantine/core';
import type { Email, Report } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { CopyButton } from '../ui/copy-button';
import { Section } from '../ui/section';
import { TimeWithAge } from '../ui/timestamp';
import { reportsQuery } from './queries';

const kinds: Readonly<Record<NonNullable<Report['kind']>, string>> = {
  dsn: 'Delivery report',
  feedback_report: 'Complaint',
  auto_reply: 'Automatic reply',
  other: 'Message',
  unreadable: 'Message that could not be read',
};

const results: Readonly<Record<NonNullable<Report['result']>, string>> = {
  applied: 'see the timeline for what it said',
  nothing_new: 'said nothing new',
  unknown_recipient: 'does not say which recipient it is about',
  unknown_email: 'does not say which email it is about',
};

/** The bounces and complaints about the email as they were received. Most emails have none, and show nothing. */
export function Reports({ email: { id } }: { readonly email: Email }) {
  const { data } = useQuery(reportsQuery(id));
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Section title="Reports" description="Messages that other mail servers sent about this email.">
      <Accordion variant="separated" order={3} chevronPosition="left">
        {data.data.map((report) => (
          <Accordion.Item key={report.id} value={report.id}>
            <Accordion.Control>
              <Text size="sm" fw={500} component="span" display="block">
                {titleOf(report)}
              </Text>
              <Text size="xs" c="dimmed" component="span" display="block">
                <TimeWithAge value={report.received_at} inLink />
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <ReportText report={report} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}

function titleOf({ kind, result }: Report): string {
  if (kind === null || result === null) return 'Not processed yet';
  return `${kinds[kind]}: ${results[result]}`;
}

function ReportText({ report: { text, truncated } }: { readonly report: Report }) {
  if (text === null)
    return (
      <Text size="sm" c="dimmed">
        The text was deleted, because a recipient of the email was erased.
      </Text>
    );
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {truncated ? 'The beginning of the message' : 'The message as it was received'}
        </Text>
        <CopyButton value={text} what="the report" />
      </Group>
      <Code block style={{ whiteSpace: 'pre-wrap' }} className="breakable">
        {text}
      </Code>
    </Stack>
  );
}
