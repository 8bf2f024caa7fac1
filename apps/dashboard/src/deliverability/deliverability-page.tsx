import { Group, Paper, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Deliverability, SendingWindow } from '@posthorn/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from '../api/request';
import { type Column, DataTable } from '../ui/data-table';
import { Caption, StatusBadge } from '../ui/facts';
import { TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { EmptyState, Page, Section } from '../ui/page';
import { SectionSkeletons } from '../ui/skeletons';
import { BouncesSection, REFRESH_MS, ReasonsSection } from './bounces';

const deliverabilityQuery = queryOptions({
  queryKey: ['deliverability'],
  queryFn: () => get<Deliverability>('/api/v1/deliverability'),
  refetchInterval: REFRESH_MS,
});

export function DeliverabilityPage() {
  const query = useQuery(deliverabilityQuery);
  return (
    <Page
      title="Deliverability"
      description="How many of your live emails bounce or are marked as spam. Mailbox providers refuse senders whose rates are too high."
    >
      <Loaded query={query} skeleton={<SectionSkeletons heights={[340, 180, 220, 340]} />}>
        {(deliverability) => <Sections deliverability={deliverability} />}
      </Loaded>
    </Page>
  );
}

function Sections({ deliverability }: { readonly deliverability: Deliverability }) {
  const { windows, domains, bounces } = deliverability;
  if (
    windows.every(
      ({ sent, complained, unauthenticated_complaints }) => sent + complained + unauthenticated_complaints === 0,
    )
  )
    return (
      <EmptyState
        title="Nothing sent yet"
        text="Send a live email, and its bounces and complaints are counted here. Test mail and simulator addresses do not count."
      />
    );
  return (
    <>
      <RatesSection deliverability={deliverability} />
      <DomainsSection domains={domains} />
      <ReasonsSection bounces={bounces} />
      <BouncesSection />
    </>
  );
}

const names: Readonly<Record<SendingWindow['window'], string>> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

function RatesSection({ deliverability: { windows, limits } }: { readonly deliverability: Deliverability }) {
  const { bounce_rate: bounce, complaint_rate: complaint } = limits;
  return (
    <Section
      title="Bounces and complaints"
      description={`The last 7 days count: we warn you from ${formatRate(bounce.warning)} bounces or ${formatRate(complaint.warning)} complaints, and pause sending from ${formatRate(bounce.pause)} or ${formatRate(complaint.pause)}. Bounces count if they are about the recipient's mailbox or domain, and complaints if the mailbox provider has signed them. Below ${limits.min_sent} recipients, no rate counts.`}
    >
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
        {windows.map((window) => (
          <WindowCard key={window.window} window={window} limits={limits} />
        ))}
      </SimpleGrid>
    </Section>
  );
}

function WindowCard({ window, limits }: { readonly window: SendingWindow; readonly limits: Deliverability['limits'] }) {
  const { sent, counted_bounces: counted, complained, status } = window;
  const others = window.bounced - counted;
  const { color, label } = levels[status];
  const name = names[window.window];
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Text fw={600}>{name}</Text>
          {sent >= limits.min_sent && <StatusBadge color={color} label={label} />}
        </Group>
        <RateMeter
          name="Bounces"
          rate={window.bounce_rate}
          count={counted}
          uncounted={others === 0 ? null : `${others.toLocaleString()} more for other reasons`}
          sent={sent}
          limits={limits.bounce_rate}
        />
        <RateMeter
          name="Complaints"
          rate={window.complaint_rate}
          count={complained}
          uncounted={
            window.unauthenticated_complaints === 0
              ? null
              : `${window.unauthenticated_complaints.toLocaleString()} more that no provider signed`
          }
          sent={sent}
          limits={limits.complaint_rate}
        />
      </Stack>
    </Paper>
  );
}

type RateMeterProps = {
  readonly name: string;
  /** null if there are too few recipients. */
  readonly rate: number | null;
  readonly count: number;
  /** What the rate leaves out; null if it leaves out nothing. */
  readonly uncounted: string | null;
  readonly sent: number;
  readonly limits: Deliverability['limits']['bounce_rate'];
};

/** A rate, and how near it is to the limit from which sending is paused. */
function RateMeter({ name, rate, count, uncounted, sent, limits }: RateMeterProps) {
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text>{name}</Text>
        <Text fw={650} fz="lg" lh={1.3} style={{ fontVariantNumeric: 'tabular-nums' }}>
          {rate === null ? '–' : formatRate(rate)}
        </Text>
      </Group>
      <Progress.Root>
        <Progress.Section
          value={Math.min(100, ((rate ?? 0) / limits.pause) * 100)}
          color={getRateColor(rate ?? 0, limits)}
          aria-label={name}
          aria-valuetext={
            rate === null ? 'No rate yet' : `${formatRate(rate)}, the limit is ${formatRate(limits.pause)}`
          }
        />
      </Progress.Root>
      <Text c="dimmed">
        {count.toLocaleString()} of {sent.toLocaleString()} {sent === 1 ? 'recipient' : 'recipients'}
        {rate !== null && ` · limit ${formatRate(limits.pause)}`}
      </Text>
      {uncounted !== null && <Caption>{uncounted}</Caption>}
    </Stack>
  );
}

function getRateColor(rate: number, { warning, pause }: RateMeterProps['limits']): string {
  if (rate >= pause) return 'red';
  return rate >= warning ? 'orange' : 'ink';
}

type DomainRates = Deliverability['domains'][number];

function DomainsSection({ domains }: Pick<Deliverability, 'domains'>) {
  return (
    <Section title="Sending domains" description="In the last 30 days.">
      <DataTable
        verticalSpacing="sm"
        horizontalSpacing="xs"
        aria-label="Sending domains"
        style={{ fontVariantNumeric: 'tabular-nums' }}
        rows={domains.flatMap((domain) => {
          const window = domain.windows.find((each) => each.window === '30d');
          return window ? [{ ...domain, window }] : [];
        })}
        rowKey={({ domain_id }) => domain_id ?? ''}
        columns={columns}
      />
    </Section>
  );
}

const columns: ReadonlyArray<Column<DomainRates & { readonly window: SendingWindow }>> = [
  {
    name: 'Domain',
    isBreakable: true,
    cell: ({ domain_id, name, window }) => (
      <>
        <DomainName id={domain_id} name={name} />
        {window.status !== 'ok' && <Caption>{levels[window.status].label}</Caption>}
      </>
    ),
  },
  { name: 'Recipients', ta: 'right', from: 'sm', cell: ({ window }) => window.sent.toLocaleString() },
  {
    name: 'Bounces',
    ta: 'right',
    cell: ({ window }) => formatRateAndCount(window.bounce_rate, window.counted_bounces),
  },
  {
    name: 'Complaints',
    ta: 'right',
    cell: ({ window }) => formatRateAndCount(window.complaint_rate, window.complained),
  },
];

function DomainName({ id, name }: { readonly id: string | null; readonly name: string | null }) {
  if (id === null) return `${name} (platform sender)`;
  if (name === null) return 'Deleted domain';
  return (
    <TextLink fw={500} to="/domains/$id" params={{ id }}>
      {name}
    </TextLink>
  );
}

/** With few recipients, there is a count but no rate. */
function formatRateAndCount(rate: number | null, count: number): string {
  return rate === null ? count.toLocaleString() : `${formatRate(rate)} (${count.toLocaleString()})`;
}

type Level = SendingWindow['status'];

/** The label says what the color says, for those who cannot see it. */
const levels: Readonly<Record<Level, { readonly color: string; readonly label: string }>> = {
  ok: { color: 'green', label: 'Within the limits' },
  warning: { color: 'orange', label: 'Warning limit reached' },
  pause: { color: 'red', label: 'Pause limit reached' },
};

/** Two decimals, because the limits on complaints are below 1%. */
function formatRate(rate: number): string {
  return rate.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 2 });
}
