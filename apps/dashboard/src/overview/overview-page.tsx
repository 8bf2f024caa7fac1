import { Alert, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { Cap, Usage } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useSession } from '../accounts/session';
import { EmailTable } from '../emails/email-table';
import { newestEmailsQuery } from '../emails/queries';
import { Copyable } from '../ui/copyable';
import { formatUsd } from '../ui/format';
import { IconAlertTriangle } from '../ui/icons';
import { InlineLink, TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { Page, Section } from '../ui/page';
import { TableSkeleton } from '../ui/skeletons';
import classes from '../ui/skeletons.module.css';
import { RelativeTime } from '../ui/timestamp';
import { CapMeter, getCapLevel } from '../usage/cap-meter';
import { HistoryChart } from '../usage/history-chart';
import { usageQuery } from '../usage/queries';
import { DeliveryRates } from './delivery-rates';
import { FirstSteps } from './first-steps';

export function OverviewPage() {
  const usage = useQuery(usageQuery);
  return (
    <Page title="Overview" description={<PlatformSender />}>
      {usage.data && <CapNotices usage={usage.data} />}
      <FirstSteps />
      <DeliveryRates />
      <div className={classes.pair}>
        <Section title="Sends per day">
          <Loaded query={usage} skeleton={<Skeleton height={252} />}>
            {({ history }) => <HistoryChart history={history} />}
          </Loaded>
        </Section>
        <Section title="Caps">
          <Loaded query={usage} skeleton={<Skeleton height={210} />}>
            {(data) => <Caps usage={data} />}
          </Loaded>
        </Section>
      </div>
      <RecentEmails />
    </Page>
  );
}

function PlatformSender() {
  const { workspace } = useSession();
  return (
    <Group gap={6}>
      <Text>Platform sender</Text>
      <Copyable value={workspace.platform_sender} what="the platform sender" />
      <Text>
        is used for emails without <code>from_</code>. <InlineLink to="/domains">Send from your own domain</InlineLink>
      </Text>
    </Group>
  );
}

/**
 * Warns before and after a cap is reached. If overage is allowed, sends beyond the monthly cap are billed, not refused.
 */
function CapNotices({ usage: { monthly, daily, overage } }: { readonly usage: Usage }) {
  return (
    <>
      {!overage.allowed && <CapNotice name="monthly" cap={monthly} status={402} />}
      <CapNotice name="daily" cap={daily} status={429} />
    </>
  );
}

type CapNoticeProps = { readonly name: 'monthly' | 'daily'; readonly cap: Cap; readonly status: number };

function CapNotice({ name, cap, status }: CapNoticeProps) {
  const level = getCapLevel(cap);
  if (level === 'ok' || cap.limit === null) return null;
  const isReached = level === 'reached';
  return (
    <Alert
      color={isReached ? 'red' : 'orange'}
      icon={<IconAlertTriangle />}
      title={isReached ? `You have reached the ${name} cap` : `You have almost reached the ${name} cap`}
    >
      {cap.used.toLocaleString()} of {cap.limit.toLocaleString()} sends used.{' '}
      {isReached ? 'Further sends are' : 'Once you reach the cap, further sends are'} refused with HTTP {status} until
      the cap resets <RelativeTime value={cap.resets_at} />.{' '}
      <InlineLink to="/usage" c="inherit">
        See usage & plan
      </InlineLink>
    </Alert>
  );
}

function Caps({ usage: { plan, monthly, daily, overage } }: { readonly usage: Usage }) {
  return (
    <Stack gap="md">
      <CapMeter name="This month (UTC)" per="month" cap={monthly} hasOverage={overage.allowed} />
      <CapMeter name="Today (UTC)" per="day" cap={daily} />
      {overage.sends > 0 && (
        <Text>
          Overage: {overage.sends.toLocaleString()} sends, {formatUsd(overage.amount_usd)}
        </Text>
      )}
      <Text>
        <TextLink to="/usage" inherit>
          View usage on the {plan.name} plan
        </TextLink>
      </Text>
    </Stack>
  );
}

/** Not a `Section`, because the table has its own border. */
function RecentEmails() {
  const id = useId();
  const query = useQuery(newestEmailsQuery({ limit: '5' }));
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="sm">
        <Title order={2} id={id}>
          Recent emails
        </Title>
        <TextLink to="/emails">All emails</TextLink>
      </Group>
      <Loaded query={query} skeleton={<TableSkeleton rows={5} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Paper withBorder p="md">
              <Text c="dimmed">No emails yet. Your five newest emails will appear here.</Text>
            </Paper>
          ) : (
            <EmailTable emails={data} label="Recent emails" />
          )
        }
      </Loaded>
    </section>
  );
}
