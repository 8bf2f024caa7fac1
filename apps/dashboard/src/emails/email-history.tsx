import { Accordion, Box, Group, Stack, Text } from '@mantine/core';
import type {
  Attempt,
  AttemptOutcome,
  AttemptPhase,
  Email,
  EmailEvent,
  EmailEventType,
  Report,
} from '@posthorn/contract';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CodeBlock, CopyButton } from '../ui/copyable';
import { Caption } from '../ui/facts';
import { Section } from '../ui/page';
import { Timestamp, TimeWithAge } from '../ui/timestamp';
import classes from './email-history.module.css';
import { describeStatus, isStatus } from './email-status';
import { type HistoryName, historyQuery, reportsQuery } from './queries';

export function Timeline({ events }: { readonly events: readonly EmailEvent[] }) {
  return (
    <ol className={classes.events}>
      {events.map((event) => (
        <li key={event.id} className={classes.event}>
          <Box component="span" className={classes.bullet} bg={getEventColor(event.type)} />
          <Text fw={500}>{labels[event.type]}</Text>
          {event.recipient !== null && <Text className="breakable">{event.recipient}</Text>}
          <Detail event={event} />
          <Caption>
            <TimeWithAge value={event.created_at} />
          </Caption>
        </li>
      ))}
    </ol>
  );
}

function Detail({ event: { type, detail } }: { readonly event: EmailEvent }) {
  if (detail === null) return null;
  const time = type === 'scheduled' ? /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(detail)?.[0] : undefined;
  return (
    <Text c="dimmed" className="breakable" component="div">
      {time === undefined ? (
        detail
      ) : (
        <>
          Scheduled for <Timestamp value={time} />
        </>
      )}
    </Text>
  );
}

function getEventColor(type: EmailEventType): string {
  if (type === 'ambiguous') return 'orange';
  return isStatus(type) ? describeStatus(type).color : 'gray';
}

/** Timeline labels. The recipient is shown separately. */
const labels: Readonly<Record<EmailEventType, string>> = {
  accepted: 'Accepted',
  scheduled: 'Scheduled',
  sent: 'Handed to the next mail server',
  deferred: 'Deferred; we will retry',
  bounced: 'Permanently rejected',
  failed: 'Failed',
  expired: 'Expired',
  canceled: 'Canceled',
  suppressed: 'Not sent, because the address is suppressed',
  delivered: 'Delivery confirmed by the recipient’s mail server',
  complained: 'Marked as spam',
  opened: 'Opened',
  clicked: 'Link clicked',
  unsubscribed: 'Unsubscribed',
  ambiguous: 'Unknown whether the mail server accepted it',
  recovered: 'Resumed after a worker stopped',
};

/** Newest attempt first, each with its SMTP conversation collapsed. */
export function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const newest = attempts.at(-1);
  return (
    <Accordion variant="separated" order={3} chevronPosition="left">
      {attempts.toReversed().map((attempt) => (
        <Accordion.Item key={attempt.attempt} value={String(attempt.attempt)}>
          <Accordion.Control>
            <Text fw={500} component="span" display="block">
              Attempt {attempt.attempt}: {describeOutcome(attempt, attempt === newest)}
            </Text>
            <Text size="xs" c="dimmed" component="span" display="block">
              <TimeWithAge value={attempt.started_at} inLink />
              {attempt.ended_at !== null && `, took ${formatDuration(attempt.started_at, attempt.ended_at)}`}
            </Text>
          </Accordion.Control>
          <Accordion.Panel>
            <AttemptDetail attempt={attempt} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function AttemptDetail({ attempt: { attempt, outcome, phase, route, conversation } }: { readonly attempt: Attempt }) {
  const text = conversation.join('\n');
  return (
    <Stack gap="xs">
      {outcome === 'ambiguous' && <AmbiguousNote />}
      {phase !== null && <Text>This attempt ended {phases[phase]}.</Text>}
      {route && <Text className="breakable">Mail server: {route}</Text>}
      {conversation.length === 0 ? (
        <Text c="dimmed">There was no SMTP conversation, or it was not recorded.</Text>
      ) : (
        <div>
          <Group justify="space-between" mb={4}>
            <Caption>
              C: Posthorn, S: the mail server, --: which server was tried. The message itself is omitted.
            </Caption>
            <CopyButton value={text} what={`the conversation of attempt ${attempt}`} />
          </Group>
          <CodeBlock>{text}</CodeBlock>
        </div>
      )}
    </Stack>
  );
}

function AmbiguousNote() {
  return (
    <Text maw="42rem">
      The connection broke after we sent the whole message but before the mail server replied, so we cannot tell whether
      it was accepted. We will send it again, unless your operator chose to give up on such emails. At worst, the
      recipient gets two copies with the same Message-ID.
    </Text>
  );
}

function formatDuration(from: string, to: string): string {
  const ms = Math.max(0, Date.parse(to) - Date.parse(from));
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;
}

const phases: Readonly<Record<AttemptPhase, string>> = {
  render: 'before contacting a mail server',
  connect: 'while connecting',
  envelope: 'while sending the envelope',
  data: 'while sending the message',
  reply: 'after the whole message was sent',
};

const outcomes: Readonly<Record<AttemptOutcome, string>> = {
  sent: 'Sent',
  partial: 'Sent to some recipients',
  deferred: 'Deferred',
  bounced: 'Bounced',
  failed: 'Failed',
  route_fault: 'No mail server could be used',
  ambiguous: 'Unknown whether it was accepted',
};

/** @param isLast whether this is the newest attempt, the only one that may still be running */
function describeOutcome({ outcome, ended_at: endedAt }: Attempt, isLast: boolean): string {
  if (outcome !== null) return outcomes[outcome];
  return endedAt === null && isLast ? 'In progress' : 'The worker stopped before finishing';
}

const kinds: Readonly<Record<NonNullable<Report['kind']>, string>> = {
  dsn: 'Delivery report',
  feedback_report: 'Complaint',
  provider_event: 'Event of the provider',
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
              <Text fw={500} component="span" display="block">
                {describeReport(report)}
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

function describeReport({ kind, result }: Report): string {
  if (kind === null || result === null) return 'Not processed yet';
  return `${kinds[kind]}: ${results[result]}`;
}

function ReportText({ report: { text, truncated } }: { readonly report: Report }) {
  if (text === null) return <Text c="dimmed">The text was deleted, because a recipient of the email was erased.</Text>;
  return (
    <Stack gap={4}>
      <Group justify="space-between">
        <Caption>{truncated ? 'The beginning of the message' : 'The message as it was received'}</Caption>
        <CopyButton value={text} what="the report" />
      </Group>
      <CodeBlock>{text}</CodeBlock>
    </Stack>
  );
}

type History<Name extends HistoryName> = {
  readonly entries: Email[Name];
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly showOlder: () => void;
};

/**
 * The newest events or attempts come with the email. Older ones are loaded page by page when the user asks for them.
 */
export function useHistory<Name extends HistoryName>(email: Email, name: Name): History<Name> {
  const client = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const options = historyQuery(email, name);
  const query = useInfiniteQuery({ ...options, enabled: isOpen });
  const loaded = isOpen ? query.data : undefined;
  const showOlder = () => {
    if (isOpen) void query.fetchNextPage();
    else {
      // The first page is already shown, so the user is waiting for the second one.
      void client.prefetchInfiniteQuery({ ...options, pages: 2 });
      setIsOpen(true);
    }
  };
  return {
    entries:
      loaded === undefined ? email[name] : (loaded.pages.flatMap(({ data }) => data).toReversed() as Email[Name]),
    hasOlder: loaded === undefined ? email[`${name}_next_cursor`] !== null : query.hasNextPage,
    isLoading: isOpen && query.isFetching,
    showOlder,
  };
}
