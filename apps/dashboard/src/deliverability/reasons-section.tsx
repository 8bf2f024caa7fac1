import { Stack, Table, Text } from '@mantine/core';
import type { Deliverability } from '@posthorn/contract';
import { Section } from '../ui/section';
import { describeClass } from './bounce-classes';

export function ReasonsSection({ bounces }: Pick<Deliverability, 'bounces'>) {
  return (
    <Section title="Why emails bounced" description="In the last 7 days.">
      {bounces.length === 0 ? (
        <Text size="sm" c="dimmed">
          No email has bounced in the last 7 days.
        </Text>
      ) : (
        <Table verticalSpacing="sm" aria-label="Why emails bounced">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Reason</Table.Th>
              <Table.Th visibleFrom="sm" w="40%">
                What to do
              </Table.Th>
              <Table.Th ta="right" w="6rem">
                Recipients
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {bounces.map((bounce) => (
              <ReasonRow key={bounce.class} bounce={bounce} />
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}

function ReasonRow({ bounce }: { readonly bounce: Deliverability['bounces'][number] }) {
  const { label, meaning, advice } = describeClass(bounce.class);
  return (
    <Table.Tr>
      <Table.Td valign="top">
        <Stack gap={2}>
          <Text size="sm" fw={500}>
            {label}
          </Text>
          <Text size="sm" c="dimmed">
            {meaning}
          </Text>
          <Text size="sm" hiddenFrom="sm">
            {advice}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td valign="top" visibleFrom="sm">
        <Text size="sm">{advice}</Text>
      </Table.Td>
      <Table.Td ta="right" valign="top" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {bounce.count.toLocaleString()}
      </Table.Td>
    </Table.Tr>
  );
}
