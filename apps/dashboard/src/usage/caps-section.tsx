import { SimpleGrid } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { Section } from '../ui/section';
import { CapMeter } from './cap-meter';

export function CapsSection({ usage }: { readonly usage: Usage }) {
  return (
    <Section title="Current usage" description="Days and months are in UTC.">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <CapMeter name="Sends this month" per="month" cap={usage.monthly} hasOverage={usage.overage.allowed} />
        <CapMeter name="Sends today" per="day" cap={usage.daily} />
      </SimpleGrid>
    </Section>
  );
}
