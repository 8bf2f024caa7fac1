import { Code, Group, Table, Text } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { StateBadge } from '../ui/state-badge';
import { Timestamp } from '../ui/timestamp';
import { keyStateOf } from './key-state';
import { RevokeButton } from './revoke-button';

const states = {
  active: { color: 'green', words: 'Active' },
  expired: { color: 'yellow', words: 'Expired' },
  revoked: { color: 'gray', words: 'Revoked' },
} as const;

type Props = { readonly apiKey: ApiKey; readonly withActions: boolean };

export function KeyRow({ apiKey, withActions }: Props) {
  const { name, hint, scopes, created_at, last_used_at, expires_at } = apiKey;
  const { color, words } = states[keyStateOf(apiKey)];
  return (
    <Table.Tr>
      <Table.Td className="breakable" miw={140}>
        <Text fw={500} size="sm">
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          ph_…{hint}
        </Text>
      </Table.Td>
      <Table.Td>
        <StateBadge color={color}>{words}</StateBadge>
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {scopes.map((scope) => (
            <Code key={scope}>{scope}</Code>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        {last_used_at ? (
          <Timestamp value={last_used_at} />
        ) : (
          <Text size="sm" c="dimmed">
            Never
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {expires_at ? (
          <Timestamp value={expires_at} />
        ) : (
          <Text size="sm" c="dimmed">
            Never
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Timestamp value={created_at} />
      </Table.Td>
      {withActions && (
        <Table.Td>
          <RevokeButton apiKey={apiKey} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}
