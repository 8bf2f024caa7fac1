import { Table, Text } from '@mantine/core';

const providers = [
  ['Cloudflare', 'Host or full name', 'As it is, without quotes. Proxying does not apply to TXT and MX.'],
  [
    'Route 53',
    'Host',
    'TXT in quotes; the long DKIM value in quoted strings; MX as the priority, a blank and the value.',
  ],
  ['Namecheap', 'Host', 'As it is, without quotes. For the MX choose Custom MX under Mail Settings.'],
  ['GoDaddy', 'Host', 'As it is, without quotes. The priority has a field of its own.'],
  ['BIND', 'Full name and a dot', 'As lines of a zone file, below.'],
] as const;

export function ProviderHints() {
  return (
    <>
      <Table.ScrollContainer minWidth={460} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table verticalSpacing="xs" horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Panel</Table.Th>
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
        Two SPF records or two DMARC records under one name void each other: where there is one already, change it.
        Where a provider stores quotes as a part of the value, paste it without them.
      </Text>
    </>
  );
}
