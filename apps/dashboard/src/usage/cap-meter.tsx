import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Cap } from '@posthorn/contract';
import { InlineLink } from '../ui/links';
import { RelativeTime } from '../ui/timestamp';

type CapMeterProps = {
  readonly name: string;
  readonly cap: Cap;
  readonly per: 'day' | 'month';
  /** Whether sends beyond the limit are accepted and billed. */
  readonly hasOverage?: boolean;
};

const colors = { ok: 'ink', near: 'orange', reached: 'red' } as const;

export function CapMeter({ name, cap, per, hasOverage = false }: CapMeterProps) {
  const { used, limit, resets_at: resetsAt } = cap;
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text fw={600}>{name}</Text>
        <Text style={{ fontVariantNumeric: 'tabular-nums' }}>
          <InlineLink to="/emails" search={{ created_after: getFirstDay(cap, per) }}>
            {used.toLocaleString()}
          </InlineLink>
          {limit !== null && ` of ${limit.toLocaleString()}${hasOverage ? ' included' : ''}`}
        </Text>
      </Group>
      {limit !== null && (
        <Progress.Root>
          <Progress.Section
            value={limit === 0 ? 100 : Math.min(100, (used / limit) * 100)}
            color={hasOverage ? 'ink' : colors[getCapLevel(cap)]}
            aria-label={name}
            aria-valuetext={`${used.toLocaleString()} of ${limit.toLocaleString()}`}
          />
        </Progress.Root>
      )}
      <Text c="dimmed" component="div">
        {describeRemaining(cap, hasOverage)} · resets <RelativeTime value={resetsAt} />
      </Text>
    </Stack>
  );
}

/** The UTC day on which the current period began, in the format of the email list's filters. */
function getFirstDay({ resets_at: resetsAt }: Cap, per: CapMeterProps['per']): string {
  const lastDay = new Date(new Date(resetsAt).getTime() - 1).toISOString().slice(0, 10);
  return per === 'day' ? `${lastDay}Z` : `${lastDay.slice(0, 7)}-01Z`;
}

function describeRemaining({ used, limit, remaining }: Cap, hasOverage: boolean): string {
  if (limit === null || remaining === null) return 'No cap';
  if (remaining > 0) return `${remaining.toLocaleString()} left`;
  if (hasOverage) return `${(used - limit).toLocaleString()} over, billed as overage`;
  return 'None left';
}

const NEAR_CAP_RATIO = 0.8;

/** `near` warns users before sends are refused. */
export function getCapLevel({ used, limit }: Cap): 'ok' | 'near' | 'reached' {
  if (limit === null) return 'ok';
  if (used >= limit) return 'reached';
  return used >= limit * NEAR_CAP_RATIO ? 'near' : 'ok';
}
