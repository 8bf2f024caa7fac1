import { Anchor, Table } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';

/** Newest first. The dates are UTC days. */
export function HistoryTable({ history }: { readonly history: Usage['history'] }) {
  return (
    <Table maw="24rem" verticalSpacing={4} striped>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day (UTC)</Table.Th>
          <Table.Th ta="right">Sends</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody style={{ fontVariantNumeric: 'tabular-nums' }}>
        {history.toReversed().map(({ date, sends }) => (
          <Table.Tr key={date}>
            <Table.Th scope="row" fw={400}>
              {date}
            </Table.Th>
            <Table.Td ta="right">
              <Anchor
                inherit
                renderRoot={(props) => (
                  <Link {...props} to="/emails" search={{ created_after: `${date}Z`, created_before: `${date}Z` }} />
                )}
              >
                {sends.toLocaleString()}
              </Anchor>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
