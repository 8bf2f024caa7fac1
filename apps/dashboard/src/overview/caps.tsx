import { Anchor, Stack, Text } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { CapMeter } from '../usage/cap-meter';
import { formatUsd } from '../usage/format-usd';

export function Caps({ usage: { plan, monthly, daily, overage } }: { readonly usage: Usage }) {
  return (
    <Stack gap="md">
      <CapMeter name="This month (UTC)" per="month" cap={monthly} hasOverage={overage.allowed} />
      <CapMeter name="Today (UTC)" per="day" cap={daily} />
      {overage.sends > 0 && (
        <Text size="sm">
          Overage: {overage.sends.toLocaleString()} sends, {formatUsd(overage.amount_usd)}
        </Text>
      )}
      <Text size="sm">
        <Anchor component={Link} to="/usage" inherit>
          View usage on the {plan.name} plan
        </Anchor>
      </Text>
    </Stack>
  );
}
