import { Table, Text } from '@mantine/core';
import type { AuditChange } from '@posthorn/contract';
import { Timestamp } from '../ui/timestamp';

type Props = { readonly changes: Readonly<Record<string, AuditChange>>; readonly label: string };

/** The fields that changed, before and after. */
export function ChangesTable({ changes, label }: Props) {
  return (
    <Table aria-label={label} layout="fixed" verticalSpacing={4} horizontalSpacing="xs" fz="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="32%">Field</Table.Th>
          <Table.Th>Before</Table.Th>
          <Table.Th>After</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.entries(changes).map(([name, { from, to }]) => (
          <Table.Tr key={name} style={{ verticalAlign: 'top' }}>
            <Table.Th scope="row" className="breakable" fw={500}>
              {name.replaceAll('_', ' ')}
            </Table.Th>
            <Table.Td className="breakable">
              <Value name={name} value={from} />
            </Table.Td>
            <Table.Td className="breakable">
              <Value name={name} value={to} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: AuditChange['from'] }) {
  if (value === null || value === '')
    return (
      <Text span inherit c="dimmed">
        none
      </Text>
    );
  if (typeof value === 'string' && name.endsWith('_at')) return <Timestamp value={value} mayWrap />;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
