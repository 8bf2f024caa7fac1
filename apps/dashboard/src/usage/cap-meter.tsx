import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Cap } from '@posthorn/contract';
import type { ReactNode } from 'react';
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
    <Meter
      name={name}
      used={used}
      limit={limit}
      of={limit !== null && `${limit.toLocaleString()}${hasOverage ? ' included' : ''}`}
      valueText={`${used.toLocaleString()} of ${limit?.toLocaleString()}`}
      color={hasOverage ? 'ink' : undefined}
      below={
        <>
          {describeRemaining(cap, hasOverage)} · resets <RelativeTime value={resetsAt} />
        </>
      }
    >
      <InlineLink to="/emails" search={{ created_after: getFirstDay(cap, per) }}>
        {used.toLocaleString()}
      </InlineLink>
    </Meter>
  );
}

type MeterProps = {
  readonly name: string;
  readonly used: number;
  readonly limit: number | null;
  /** The limit as text; false without one. */
  readonly of: string | false;
  /** What a screen reader says about the bar. */
  readonly valueText: string;
  /** By default, the color warns when little is left. */
  readonly color?: string | undefined;
  readonly below: ReactNode;
  /** The used amount. */
  readonly children: ReactNode;
};

/** A bar that shows how much of a limit is used. */
export function Meter({ name, used, limit, of, valueText, color, below, children }: MeterProps) {
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text fw={600}>{name}</Text>
        <Text style={{ fontVariantNumeric: 'tabular-nums' }}>
          {children}
          {of && ` of ${of}`}
        </Text>
      </Group>
      {limit !== null && (
        <Progress.Root>
          <Progress.Section
            value={limit === 0 ? 100 : Math.min(100, (used / limit) * 100)}
            color={color ?? colors[getCapLevel({ used, limit })]}
            // Mantine would say the share in percent, with all its decimals.
            withAria={false}
            role="progressbar"
            aria-valuemin={0}
            aria-valuemax={Math.max(used, limit)}
            aria-valuenow={used}
            aria-label={name}
            aria-valuetext={valueText}
          />
        </Progress.Root>
      )}
      <Text c="dimmed" component="div">
        {below}
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
export function getCapLevel({ used, limit }: Pick<Cap, 'used' | 'limit'>): 'ok' | 'near' | 'reached' {
  if (limit === null) return 'ok';
  if (used >= limit) return 'reached';
  return used >= limit * NEAR_CAP_RATIO ? 'near' : 'ok';
}
