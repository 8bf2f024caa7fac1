import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Deliverability } from '@posthorn/contract';
import { formatRate } from './rate-level';

type Props = {
  readonly name: string;
  /** null if there are too few recipients. */
  readonly rate: number | null;
  readonly count: number;
  readonly sent: number;
  readonly limits: Deliverability['limits']['bounce_rate'];
};

/** A rate, and how near it is to the limit from which sending is paused. */
export function RateMeter({ name, rate, count, sent, limits }: Props) {
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text size="sm">{name}</Text>
        <Text fw={650} fz="lg" lh={1.3} style={{ fontVariantNumeric: 'tabular-nums' }}>
          {rate === null ? '–' : formatRate(rate)}
        </Text>
      </Group>
      <Progress.Root>
        <Progress.Section
          value={Math.min(100, ((rate ?? 0) / limits.pause) * 100)}
          color={colorOf(rate ?? 0, limits)}
          aria-label={name}
          aria-valuetext={
            rate === null ? 'No rate yet' : `${formatRate(rate)}, the limit is ${formatRate(limits.pause)}`
          }
        />
      </Progress.Root>
      <Text size="sm" c="dimmed">
        {count.toLocaleString()} of {sent.toLocaleString()} {sent === 1 ? 'recipient' : 'recipients'}
        {rate !== null && ` · limit ${formatRate(limits.pause)}`}
      </Text>
    </Stack>
  );
}

function colorOf(rate: number, { warning, pause }: Props['limits']): string {
  if (rate >= pause) return 'red';
  return rate >= warning ? 'orange' : 'ink';
}
