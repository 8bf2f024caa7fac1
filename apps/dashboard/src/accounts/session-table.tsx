import { Table } from '@mantine/core';
import type { AccountSession } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { StatusBadge } from '../ui/status-badge';
import { RelativeTime } from '../ui/timestamp';
import { workspacesQuery } from './workspaces';

export function SessionTable({ sessions }: { readonly sessions: readonly AccountSession[] }) {
  const { data: workspaces } = useQuery(workspacesQuery);
  const nameOf = (id: string) => workspaces?.data.find((workspace) => workspace.id === id)?.name;
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ type: 'auto' }}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Logged in</Table.Th>
            <Table.Th>Last seen</Table.Th>
            <Table.Th>Workspace</Table.Th>
            <Table.Th>Browser</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <Table.Tr key={session.id}>
              <Table.Td>
                <RelativeTime value={session.created_at} />
              </Table.Td>
              <Table.Td>
                <RelativeTime value={session.last_seen_at} />
              </Table.Td>
              <Table.Td className="breakable">{nameOf(session.workspace_id)}</Table.Td>
              <Table.Td>
                {session.current ? <StatusBadge color="green" label="This browser" /> : 'Another browser'}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
