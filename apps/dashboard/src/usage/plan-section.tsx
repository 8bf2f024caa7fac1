import { Stack, Text } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { Section } from '../ui/section';
import { formatUsd } from './format-usd';

export function PlanSection({ usage }: { readonly usage: Usage }) {
  const { workspace } = useSession();
  const { plan, monthly, daily, rate_limit: rateLimit } = usage;
  return (
    <Section title={`Plan: ${plan.name}`}>
      <Stack gap="lg">
        <Facts>
          <Fact name="Price">{plan.price_usd === 0 ? 'Free' : `${formatUsd(plan.price_usd)} per month`}</Fact>
          <Fact name="Rate limit">
            {rateLimit.per_minute.toLocaleString()} emails per minute for each key and each user
          </Fact>
          <Fact name="Monthly cap">{formatCap(monthly.limit)}</Fact>
          <Fact name="Daily cap">{formatCap(daily.limit)}</Fact>
          <Fact name="Overage">{describeOverage(usage)}</Fact>
          <Fact name="Platform sender">
            <Copyable value={workspace.platform_sender} what="the platform sender" />
          </Fact>
        </Facts>
        <div>
          <Text size="sm" mb={4}>
            To change your plan, send your workspace ID to the operator of this Posthorn server. Operators change plans
            with <code>npx posthorn workspace plan</code>.
          </Text>
          <Copyable value={workspace.id} what="the workspace ID" />
        </div>
      </Stack>
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
