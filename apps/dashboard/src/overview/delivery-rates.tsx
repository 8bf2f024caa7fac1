import { Paper, SimpleGrid, Text } from '@mantine/core';
import { type EmailStats, type EmailStatus, handedOverStatuses } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeStatus } from '../emails/email-status';
import { emailStatsQuery } from '../emails/queries';
import { InlineLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { FiguresSkeleton } from '../ui/skeletons';
import { Timestamp } from '../ui/timestamp';

const columns = { cols: { base: 1, xs: 3 }, spacing: { base: 'sm', sm: 'lg' } } as const;

export function DeliveryRates() {
  return (
    <section aria-label="Delivery">
      <Loaded query={useQuery(emailStatsQuery)} skeleton={<FiguresSkeleton />}>
        {(stats) => <Figures stats={stats} />}
      </Loaded>
    </section>
  );
}

function Figures({ stats }: { readonly stats: EmailStats }) {
  const { emails, since, truncated, delivery_rate, bounce_rate, statuses } = stats;
  const level = bounce_rate === null ? null : describeBounceRate(bounce_rate);
  const period = { created_after: toJustBefore(since) };
  const handedOver = handedOverStatuses.filter((status) => statuses[status] > 0);
  const [only] = handedOver.length === 1 ? handedOver : [];
  return (
    <SimpleGrid {...columns}>
      <Figure name="Emails" search={period} value={emails.toLocaleString()}>
        {truncated ? (
          <>
            Only the newest emails, accepted since <Timestamp value={since} />
          </>
        ) : (
          'Accepted in the last 31 days'
        )}
      </Figure>
      <Figure name="Handed over" search={only && { ...period, status: only }} value={formatPercent(delivery_rate)}>
        {delivery_rate === null ? 'No delivery results yet' : 'Accepted by the next mail server'}
        {handedOver.length > 1 && (
          <>
            {': '}
            {handedOver.map((status, index) => (
              <span key={status}>
                {index > 0 && ', '}
                <StatusLink status={status} count={statuses[status]} period={period} />
              </span>
            ))}
          </>
        )}
      </Figure>
      <Figure
        name="Bounce rate"
        search={bounce_rate === null ? undefined : { ...period, status: 'bounced' }}
        value={formatPercent(bounce_rate)}
        color={level?.color}
      >
        {level === null ? 'No delivery results yet' : level.text}
      </Figure>
    </SimpleGrid>
  );
}

type StatusLinkProps = {
  readonly status: EmailStatus;
  readonly count: number;
  readonly period: { readonly created_after: string };
};

/** The list of emails can show only one status at a time. */
function StatusLink({ status, count, period }: StatusLinkProps) {
  return (
    <InlineLink to="/emails" search={{ ...period, status }}>
      {count.toLocaleString()} {describeStatus(status).label.toLowerCase()}
    </InlineLink>
  );
}

/** The API's `created_after` is exclusive, and `since` may be the time of an email. */
function toJustBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

/** Rounds towards 50%, so that 99.99% is not shown as 100%, or 0.01% as 0%. */
function formatPercent(rate: number | null): string {
  if (rate === null) return '–';
  const tenths = rate > 0.5 ? Math.floor(rate * 1_000) : Math.ceil(rate * 1_000);
  return (tenths / 1_000).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });
}

type FigureProps = {
  readonly name: string;
  /** The filters of the list that has exactly these emails. Without them, the number is not a link. */
  readonly search: Readonly<Record<string, string>> | undefined;
  readonly value: string;
  readonly color?: string | undefined;
  readonly children: ReactNode;
};

function Figure({ name, search, value, color, children }: FigureProps) {
  return (
    <Paper withBorder p="md">
      <Text fw={600}>{name}</Text>
      <Text
        fz="1.6rem"
        fw={650}
        lh={1.3}
        {...(color !== undefined && { c: color })}
        style={{ fontVariantNumeric: 'tabular-nums' }}
      >
        {search === undefined ? (
          value
        ) : (
          <InlineLink c="inherit" aria-label={`${name}: ${value}. Show these emails`} to="/emails" search={search}>
            {value}
          </InlineLink>
        )}
      </Text>
      <Text c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}

/** At these rates, mailbox providers start to distrust a sender, and then to refuse its email. */
const NOTABLE_BOUNCE_RATE = 0.02;
const HIGH_BOUNCE_RATE = 0.05;

/** The text says what the color says, for those who cannot see it. */
function describeBounceRate(rate: number): { readonly color?: string; readonly text: string } {
  const rejected = 'Rejected for every recipient';
  if (rate >= HIGH_BOUNCE_RATE) return { color: 'var(--mantine-color-error)', text: `Too high. ${rejected}` };
  if (rate >= NOTABLE_BOUNCE_RATE)
    return { color: 'light-dark(#7d4600, var(--mantine-color-yellow-4))', text: `Higher than usual. ${rejected}` };
  return { text: rejected };
}
