import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core';
import type { EmailStats } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { emailStatsQuery } from '../emails/queries';
import { Loaded } from '../ui/loaded';
import { Timestamp } from '../ui/timestamp';

export function DeliveryRates() {
  return (
    <section aria-label="Delivery">
      <Loaded query={useQuery(emailStatsQuery)} skeleton={<Skeleton height={118} />}>
        {(stats) => <Figures stats={stats} />}
      </Loaded>
    </section>
  );
}

function Figures({ stats: { emails, since, truncated, delivery_rate, bounce_rate } }: { readonly stats: EmailStats }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={{ base: 'sm', sm: 'lg' }}>
      <Figure name="Emails" value={emails.toLocaleString()}>
        {truncated ? (
          <>
            Only the newest emails, accepted since <Timestamp value={since} />
          </>
        ) : (
          'Accepted in the last 31 days'
        )}
      </Figure>
      <Figure name="Delivery rate" value={percent(delivery_rate)}>
        {delivery_rate === null ? 'No delivery results yet' : 'Handed to the next mail server'}
      </Figure>
      <Figure name="Bounce rate" value={percent(bounce_rate)}>
        {bounce_rate === null ? 'No delivery results yet' : 'Rejected for every recipient'}
      </Figure>
    </SimpleGrid>
  );
}

type FigureProps = { readonly name: string; readonly value: string; readonly children: React.ReactNode };

function Figure({ name, value, children }: FigureProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text fz="1.6rem" fw={650} lh={1.3} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}

/** Rounds towards 50%, so that 99.99% is not shown as 100%, or 0.01% as 0%. */
function percent(rate: number | null): string {
  if (rate === null) return '–';
  const tenths = rate > 0.5 ? Math.floor(rate * 1_000) : Math.ceil(rate * 1_000);
  return (tenths / 1_000).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });
}
