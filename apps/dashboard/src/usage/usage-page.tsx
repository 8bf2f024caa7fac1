import { Code, List, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { dayLimits, type Usage } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';
import { DataTable } from '../ui/data-table';
import { Fact, Facts } from '../ui/facts';
import { formatBytes, formatUsd } from '../ui/format';
import { InlineLink, TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { Page, Section } from '../ui/page';
import { UsageSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';
import { CapMeter, getCapLevel, Meter } from './cap-meter';
import { HistoryChart } from './history-chart';
import { usageQuery } from './queries';

export function UsagePage() {
  const query = useQuery(usageQuery);
  return (
    <Page title="Usage & plan" description="A send is one recipient of an accepted email. Retries are free.">
      <Loaded query={query} skeleton={<UsageSkeleton />}>
        {(usage) => (
          <>
            <CapsSection usage={usage} />
            <HistorySection history={usage.history} />
            <PlanSection usage={usage} />
            <LimitsSection usage={usage} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function CapsSection({ usage }: { readonly usage: Usage }) {
  return (
    <Section title="Current usage" description="Days and months are in UTC.">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <CapMeter name="Sends this month" per="month" cap={usage.monthly} hasOverage={usage.overage.allowed} />
        <CapMeter name="Sends today" per="day" cap={usage.daily} />
        <StorageMeter storage={usage.storage} />
        <TestSendsMeter testSends={usage.test_sends} resetsAt={usage.daily.resets_at} />
      </SimpleGrid>
    </Section>
  );
}

function StorageMeter({ storage: { bytes, limit_bytes: limit } }: { readonly storage: Usage['storage'] }) {
  const isPlenty = getCapLevel({ used: bytes, limit }) === 'ok';
  return (
    <Meter
      name="Storage"
      used={bytes}
      limit={limit}
      of={formatBytes(limit)}
      valueText={`${formatBytes(bytes)} of ${formatBytes(limit)}`}
      below={
        isPlenty ? (
          'Files, templates, suppressions, test mail, large emails and the audit log'
        ) : (
          <>
            Delete <InlineLink to="/templates">templates</InlineLink> or{' '}
            <InlineLink to="/suppressions">suppressions</InlineLink>, keep content for fewer days in the{' '}
            <InlineLink to="/settings">settings</InlineLink>, or upgrade your plan
          </>
        )
      }
    >
      {formatBytes(bytes)}
    </Meter>
  );
}

type TestSendsMeterProps = { readonly testSends: Usage['test_sends']; readonly resetsAt: string };

function TestSendsMeter({ testSends: { used, limit }, resetsAt }: TestSendsMeterProps) {
  const left = Math.max(0, limit - used);
  return (
    <Meter
      name="Test sends today"
      used={used}
      limit={limit}
      of={limit.toLocaleString()}
      valueText={`${used.toLocaleString()} of ${limit.toLocaleString()}`}
      below={
        <>
          {left === 0 ? 'None left' : `${left.toLocaleString()} left`} · resets <RelativeTime value={resetsAt} />
        </>
      }
    >
      <InlineLink to="/emails" search={{ mode: 'test' }}>
        {used.toLocaleString()}
      </InlineLink>
    </Meter>
  );
}

const shapes = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
];

function HistorySection({ history }: { readonly history: Usage['history'] }) {
  const [shape, setShape] = useState('chart');
  return (
    <Section
      title="Sends per day"
      actions={<SegmentedControl aria-label="Show as" data={shapes} value={shape} onChange={setShape} />}
    >
      {shape === 'chart' ? <HistoryChart history={history} /> : <HistoryTable history={history} />}
    </Section>
  );
}

/** Newest first. The dates are UTC days. */
function HistoryTable({ history }: { readonly history: Usage['history'] }) {
  return (
    <DataTable
      maw="24rem"
      verticalSpacing={4}
      striped
      style={{ fontVariantNumeric: 'tabular-nums' }}
      rows={history.toReversed()}
      rowKey={({ date }) => date}
      columns={[
        { name: 'Day (UTC)', isRowName: true, td: { fw: 400 }, cell: ({ date }) => date },
        {
          name: 'Sends',
          ta: 'right',
          cell: ({ date, sends }) => (
            <TextLink inherit to="/emails" search={{ created_after: `${date}Z`, created_before: `${date}Z` }}>
              {sends.toLocaleString()}
            </TextLink>
          ),
        },
      ]}
    />
  );
}

function PlanSection({ usage }: { readonly usage: Usage }) {
  const { workspace } = useSession();
  const { plan, monthly, daily, rate_limit: rateLimit } = usage;
  return (
    <Section title={`Plan: ${plan.name}`} gap="lg">
      <Facts>
        <Fact name="Price">{plan.price_usd === 0 ? 'Free' : `${formatUsd(plan.price_usd)} per month`}</Fact>
        <Fact name="Rate limit">
          {rateLimit.per_minute.toLocaleString()} emails per minute for each key and each user, and ten times as many
          for all of them together
        </Fact>
        <Fact name="Monthly cap">{formatCap(monthly.limit)}</Fact>
        <Fact name="Daily cap">{formatCap(daily.limit)}</Fact>
        <Fact name="Storage">{formatBytes(usage.storage.limit_bytes)}</Fact>
        <Fact name="Test sends">{usage.test_sends.limit.toLocaleString()} per day</Fact>
        <Fact name="Overage">{describeOverage(usage)}</Fact>
        <Fact name="Platform sender">
          <Copyable value={workspace.platform_sender} what="the platform sender" />
        </Fact>
      </Facts>
      <div>
        <Text mb={4}>
          To change your plan, send your workspace ID to the operator of this Posthorn server. Operators change plans
          with <code>npx posthorn workspace plan</code>.
        </Text>
        <Copyable value={workspace.id} what="the workspace ID" />
      </div>
    </Section>
  );
}

function describeOverage({ overage }: Usage): string {
  const { allowed, sends, per, unit_price_usd: price, amount_usd: amount } = overage;
  if (!allowed && sends === 0) return 'None: sends beyond the monthly cap are refused';
  const soFar = `This month: ${sends.toLocaleString()} (${formatUsd(amount)})`;
  return `${formatUsd(price)} per ${per.toLocaleString()} sends beyond the cap. ${soFar}`;
}

function formatCap(limit: number | null): string {
  return limit === null ? 'None' : `${limit.toLocaleString()} sends`;
}

/** Names the API's error codes, for developers whose programs run into a limit. */
function LimitsSection({ usage }: { readonly usage: Usage }) {
  const { monthly, daily, overage, rate_limit: rateLimit } = usage;
  return (
    <Section
      title="When you reach a limit"
      description="A request is accepted or refused as a whole. Refused emails are not sent later."
    >
      <List spacing="sm" size="sm">
        <List.Item>
          <b>Monthly cap:</b> {monthly.limit === null && 'none.'}
          {monthly.limit !== null && overage.allowed && (
            <>
              sends beyond {monthly.limit.toLocaleString()} are accepted and billed as overage. If your operator limits
              overage, the API returns <Code>402 monthly_cap_exceeded</Code> at that limit.
            </>
          )}
          {monthly.limit !== null && !overage.allowed && (
            <>
              once you reach it, the API returns <Code>402 monthly_cap_exceeded</Code> until the next month begins.
            </>
          )}
        </List.Item>
        <List.Item>
          <b>Daily cap:</b>{' '}
          {daily.limit === null ? (
            'none.'
          ) : (
            <>
              once you reach it, the API returns <Code>429 daily_cap_exhausted</Code> without <Code>Retry-After</Code>.
              The <Code>resets_at</Code> field says when the next day begins.
            </>
          )}
        </List.Item>
        <List.Item>
          <b>Rate limit:</b> above {rateLimit.per_minute.toLocaleString()} emails per minute, the API returns{' '}
          <Code>429 rate_limited</Code>. The <Code>Retry-After</Code> header says how many seconds to wait.
        </List.Item>
        <List.Item>
          <b>Storage:</b> when the workspace is full, the API returns <Code>422 storage_limit_exceeded</Code> for
          templates, suppressions, test mail and emails with new attachments or more than 100 kB of content. Other live
          emails are still accepted. Test mail is deleted after {dayLimits.testMail} days.
        </List.Item>
        <List.Item>
          <b>Test sends:</b> above {usage.test_sends.limit.toLocaleString()} per day, the API returns{' '}
          <Code>429 daily_cap_exhausted</Code>. The caps on live mail do not apply to test mail.
        </List.Item>
      </List>
    </Section>
  );
}
