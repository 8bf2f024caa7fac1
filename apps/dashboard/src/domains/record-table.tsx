import { Box, Code, Group, Table, Text } from '@mantine/core';
import type { DomainRecord } from '@posthorn/contract';
import { CopyButton } from '../ui/copy-button';
import { describeRecord, recordId } from './describe-record';
import { RecordStatusBadge } from './record-status-badge';
import { hostIn } from './zone';

type Props = { readonly records: readonly DomainRecord[]; readonly zone: string };

/** All records at a glance, ready to be copied one by one. On phones, the type moves below the host. */
export function RecordTable({ records, zone }: Props) {
  return (
    <Table layout="fixed" verticalSpacing="xs" aria-label="DNS records">
      <Table.Thead>
        <Table.Tr>
          <Table.Th visibleFrom="sm" w={80}>
            Type
          </Table.Th>
          <Table.Th>Host</Table.Th>
          <Table.Th>Value</Table.Th>
          <Table.Th visibleFrom="sm" w={160}>
            Status
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {records.map((record) => (
          <RecordRow key={recordId(record)} record={record} zone={zone} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function RecordRow({ record, zone }: { readonly record: DomainRecord; readonly zone: string }) {
  const { type, name, value, status, priority } = record;
  const { title } = describeRecord(record);
  return (
    <Table.Tr>
      <Table.Td visibleFrom="sm">{type}</Table.Td>
      <Table.Td>
        <Cut text={hostIn(zone, name)} what={`the host in the table for ${title}`} />
        <Box hiddenFrom="sm" mt={4}>
          <Text size="xs" c="dimmed">
            {type}
          </Text>
          <RecordStatusBadge status={status} />
        </Box>
      </Table.Td>
      <Table.Td>
        <Cut text={value} what={`the value in the table for ${title}`} />
        {priority !== undefined && (
          <Text size="xs" c="dimmed">
            Priority {priority}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <RecordStatusBadge status={status} />
      </Table.Td>
    </Table.Tr>
  );
}

/** One line of text, and a button that copies all of it. */
function Cut({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <Group gap={4} wrap="nowrap" justify="space-between">
      <Text truncate component="div" miw={0} title={text}>
        <Code>{text}</Code>
      </Text>
      <CopyButton value={text} what={what} />
    </Group>
  );
}
