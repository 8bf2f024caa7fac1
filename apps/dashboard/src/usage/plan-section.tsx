import { Stack, Text } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';
import { FactList } from '../ui/fact-list';
import { Section } from '../ui/section';
import { inDollars } from './money';

export function PlanSection({ usage }: { readonly usage: Usage }) {
  const { workspace } = useSession();
  const { plan, monthly, daily, rate_limit: rateLimit } = usage;
  return (
    <Section title={`Plan: ${plan.name}`}>
      <Stack gap="lg">
        <FactList
          facts={[
            ['Price', plan.price_usd === 0 ? 'Free' : `${inDollars(plan.price_usd)} a month`],
            ['Sends a month', inSends(monthly.limit)],
            ['Sends a day', inSends(daily.limit)],
            ['Overage', <OverageFact key="overage" overage={usage.overage} />],
            [
              'Rate limit',
              `${rateLimit.per_minute.toLocaleString()} emails a minute, for each API key and each session`,
            ],
            ['Platform sender', <Copyable key="sender" value={workspace.platform_sender} what="the address" />],
          ]}
        />
        <div>
          <Text size="sm" mb={4}>
            To change the plan, ask whoever runs this Posthorn; it cannot be done here. Give them the workspace's ID:
            they set the plan with <code>npx posthorn workspace plan</code>.
          </Text>
          <Copyable value={workspace.id} what="the workspace's ID" />
        </div>
      </Stack>
    </Section>
  );
}

function OverageFact({ overage }: Pick<Usage, 'overage'>) {
  const { allowed, sends, per, unit_price_usd: price, amount_usd: amount } = overage;
  if (!allowed && sends === 0) return 'None: what goes beyond the month is refused';
  return `${inDollars(price)} per ${per.toLocaleString()} sends beyond the month; ${sends.toLocaleString()} so far, ${inDollars(amount)}`;
}

function inSends(limit: number | null): string {
  return limit === null ? 'No cap' : limit.toLocaleString();
}
