import { Anchor, SimpleGrid, Skeleton } from '@mantine/core';
import { type EmailStats, type EmailStatus, handedOverStatuses } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { describeStatus } from '../emails/email-status';
import { emailStatsQuery } from '../emails/queries';
import { Loaded } from '../ui/loaded';
import { Timestamp } from '../ui/timestamp';
import { bounceLevel } from './bounce-level';
import { Figure } from './figure';

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

function FiguresSkeleton() {
  return (
    <SimpleGrid {...columns}>
      <Skeleton height={118} />
      <Skeleton height={118} />
      <Skeleton height={118} />
    </SimpleGrid>
  );
}

function Figures({ stats }: { readonly stats: EmailStats }) {
  const { emails, since, truncated, delivery_rate, bounce_rate, statuses } = stats;
  const level = bounce_rate === null ? null : bounceLevel(bounce_rate);
  const period = { created_after: justBefore(since) };
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
      <Figure name="Handed over" search={only && { ...period, status: only }} value={percent(delivery_rate)}>
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
        value={percent(bounce_rate)}
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
    <Anchor
      inherit
      underline="always"
      renderRoot={(props) => <Link {...props} to="/emails" search={{ ...period, status }} />}
    >
      {count.toLocaleString()} {describeStatus(status).label.toLowerCase()}
    </Anchor>
  );
}

/** The API's `created_after` is exclusive, and `since` may be the time of an email. */
function justBefore(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString();
}

/** Rounds towards 50%, so that 99.99% is not shown as 100%, or 0.01% as 0%. */
function percent(rate: number | null): string {
  if (rate === null) return '–';
  const tenths = rate > 0.5 ? Math.floor(rate * 1_000) : Math.ceil(rate * 1_000);
  return (tenths / 1_000).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });
}
