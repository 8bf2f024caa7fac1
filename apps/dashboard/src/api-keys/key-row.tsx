import { Box, Code, Group, Table, Text } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { DomainNames } from '../domains/domain-names';
import { StatusBadge } from '../ui/status-badge';
import { RelativeTime } from '../ui/timestamp';
import { keyStatus } from './key-status';
import { RevokeButton } from './revoke-button';

const statuses = {
  active: { color: 'green', label: 'Active' },
  expired: { color: 'yellow', label: 'Expired' },
} as const;

type Props = { readonly apiKey: ApiKey; readonly withActions: boolean };

/** On narrow screens, all columns but the status move below the name. */
export function KeyRow({ apiKey, withActions }: Props) {
  const { name, mode, hint, scopes, created_at, last_used_at, expires_at } = apiKey;
  const status = <StatusBadge {...statuses[keyStatus(apiKey)]} />;
  return (
    <Table.Tr>
      <Table.Td className="breakable">
        <Text fw={500} size="sm">
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          <span>
            <Text span inherit ff="monospace">
              {mode === 'test' ? 'ph_test_…' : 'ph_…'}
              {hint}
            </Text>
            , created <RelativeTime value={created_at} />
          </span>
          <Restrictions apiKey={apiKey} />
          <Box hiddenFrom="xs" my={4}>
            {status}
          </Box>
          <Box hiddenFrom="lg">
            {scopes.join(', ')}
            <br />
            Last used: <TimeOrNever value={last_used_at} />
            <br />
            Expires: <TimeOrNever value={expires_at} />
          </Box>
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="xs">{status}</Table.Td>
      <Table.Td visibleFrom="lg" miw={170}>
        <Group gap={4}>
          {scopes.map((scope) => (
            <Code key={scope}>{scope}</Code>
          ))}
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <TimeOrNever value={last_used_at} />
      </Table.Td>
      <Table.Td visibleFrom="lg">
        <TimeOrNever value={expires_at} />
      </Table.Td>
      {withActions && (
        <Table.Td>
          <RevokeButton apiKey={apiKey} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Restrictions({ apiKey: { domain_ids: domainIds, networks } }: { readonly apiKey: ApiKey }) {
  return (
    <>
      {domainIds !== null && (
        <div>
          Sends only from <DomainNames ids={domainIds} />
        </div>
      )}
      {networks !== null && <div>Works only from {networks.join(', ')}</div>}
    </>
  );
}

function TimeOrNever({ value }: { readonly value: string | null }) {
  return value === null ? 'never' : <RelativeTime value={value} />;
}
