import { Accordion, Text } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { Copyable } from '../ui/copyable';
import { Section } from '../ui/section';
import { ProviderHints } from './provider-hints';
import { zoneFile } from './zone-file';

/** Collapsed, because most users know their DNS provider. */
export function DnsProviderHelp({ domain: { records } }: { readonly domain: Domain }) {
  return (
    <Section title="DNS provider help">
      <Accordion variant="separated" order={3}>
        <Accordion.Item value="panels">
          <Accordion.Control>Record formats by provider</Accordion.Control>
          <Accordion.Panel>
            <ProviderHints />
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="zone">
          <Accordion.Control>All records as a zone file</Accordion.Control>
          <Accordion.Panel>
            <Text size="sm" mb="xs">
              For BIND, other DNS servers and providers that import zone files.
            </Text>
            <Copyable block value={zoneFile(records)} what="all records as a zone file" />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Section>
  );
}
