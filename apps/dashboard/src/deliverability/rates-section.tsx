import { Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import type { Deliverability, SendingWindow } from '@posthorn/contract';
import { Section } from '../ui/section';
import { StatusBadge } from '../ui/status-badge';
import { formatRate, levels } from './rate-level';
import { RateMeter } from './rate-meter';

type Props = { readonly deliverability: Deliverability };

const names: Readonly<Record<SendingWindow['window'], string>> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

export function RatesSection({ deliverability: { windows, limits } }: Props) {
  const { bounce_rate: bounce, complaint_rate: complaint } = limits;
  return (
    <Section
      title="Bounces and complaints"
      description={`The last 7 days count: we warn you from ${formatRate(bounce.warning)} bounces or ${formatRate(complaint.warning)} complaints, and pause sending from ${formatRate(bounce.pause)} or ${formatRate(complaint.pause)}. Below ${limits.min_sent} recipients, no rate counts.`}
    >
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
        {windows.map((window) => (
          <WindowCard key={window.window} window={window} limits={limits} />
        ))}
      </SimpleGrid>
    </Section>
  );
}

type CardProps = { readonly window: SendingWindow; readonly limits: Deliverability['limits'] };

function WindowCard({ window, limits }: CardProps) {
  const { sent, bounced, complained, status } = window;
  const { color, label } = levels[status];
  const name = names[window.window];
  return (
    <Paper withBorder p="md" component="section" aria-label={name}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Text fw={600} size="sm">
            {name}
          </Text>
          {sent >= limits.min_sent && <StatusBadge color={color} label={label} />}
        </Group>
        <RateMeter name="Bounces" rate={window.bounce_rate} count={bounced} sent={sent} limits={limits.bounce_rate} />
        <RateMeter
          name="Complaints"
          rate={window.complaint_rate}
          count={complained}
          sent={sent}
          limits={limits.complaint_rate}
        />
      </Stack>
    </Paper>
  );
}
