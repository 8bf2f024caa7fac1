import { Accordion, Table, Text } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { Copyable } from '../ui/copyable';
import { DataTable } from '../ui/data-table';
import { Section } from '../ui/page';
import { writeZoneFile } from './zone';

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
            <Text mb="xs">For BIND, other DNS servers and providers that import zone files.</Text>
            <Copyable block value={writeZoneFile(records)} what="all records as a zone file" />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Section>
  );
}

const providers = [
  ['Cloudflare', 'Host or full name', 'As shown, without quotes. Proxying does not apply to TXT and MX records.'],
  [
    'Route 53',
    'Host',
    'Quote TXT values, and split the long DKIM value into quoted strings. For MX, enter the priority, a space and the value.',
  ],
  ['Namecheap', 'Host', 'As shown, without quotes. For MX, choose Custom MX under Mail Settings.'],
  ['GoDaddy', 'Host', 'As shown, without quotes. The priority has its own field.'],
  ['BIND', 'Full name with a trailing dot', 'As in the zone file below.'],
] as const;

function ProviderHints() {
  return (
    <>
      <Table.ScrollContainer minWidth={460} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <DataTable
          verticalSpacing="xs"
          horizontalSpacing="xs"
          rows={providers}
          rowKey={([provider]) => provider}
          columns={[
            { name: 'Provider', td: { style: { whiteSpace: 'nowrap' } }, cell: ([provider]) => provider },
            { name: 'Name', cell: ([, name]) => name },
            { name: 'Value', cell: ([, , value]) => value },
          ]}
        />
      </Table.ScrollContainer>
      <Text mt="xs">
        Two SPF or DMARC records under the same name invalidate each other. If one already exists, change it instead. If
        your provider stores quotes as part of the value, paste the value without them.
      </Text>
    </>
  );
}
