import { Table, Text } from '@mantine/core';
import type { Erasure } from '@posthorn/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Loaded } from '../ui/loaded';
import { ShowOlderButton } from '../ui/show-older-button';
import { StatusBadge } from '../ui/status-badge';
import { Timestamp } from '../ui/timestamp';
import { erasuresQuery } from './queries';

/**
 * Past erasures. The API does not return their addresses, which are stored encrypted for repeating them after a
 * restore.
 */
export function ErasureTable() {
  const query = useInfiniteQuery(erasuresQuery);
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const erasures = pages.flatMap(({ data }) => data);
        if (erasures.length === 0) return <Text c="dimmed">No recipient has been erased yet.</Text>;
        return (
          <>
            <Rows erasures={erasures} />
            {query.hasNextPage && (
              <ShowOlderButton
                what="erasures"
                isLoading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Rows({ erasures }: { readonly erasures: readonly Erasure[] }) {
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table aria-label="Erasures">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Requested</Table.Th>
            <Table.Th scope="col">Status</Table.Th>
            <Table.Th scope="col">Emails erased</Table.Th>
            <Table.Th scope="col">Still to erase</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {erasures.map(({ id, status, requested_at, erased_emails, waiting_emails }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Timestamp value={requested_at} />
              </Table.Td>
              <Table.Td>
                <StatusBadge
                  color={status === 'finished' ? 'teal' : 'blue'}
                  label={status === 'finished' ? 'Finished' : 'Pending'}
                />
              </Table.Td>
              <Table.Td>{erased_emails}</Table.Td>
              <Table.Td>{waiting_emails}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
