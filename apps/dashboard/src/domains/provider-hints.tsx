import { Table, Text } from '@mantine/core';

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

export function ProviderHints() {
  return (
    <>
      <Table.ScrollContainer minWidth={460} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="xs" horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Provider</Table.Th>
              <Table.Th>Name</Table.Th>
              <Table.Th>Value</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {providers.map(([provider, name, value]) => (
              <Table.Tr key={provider}>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{provider}</Table.Td>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{value}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Text size="sm" mt="xs">
        Two SPF or DMARC records under the same name invalidate each other. If one already exists, change it instead. If
        your provider stores quotes as part of the value, paste the value without them.
      </Text>
    </>
  );
}
