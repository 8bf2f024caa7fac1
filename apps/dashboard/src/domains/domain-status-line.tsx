import { Anchor, Group } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { RelativeTime, Timestamp } from '../ui/timestamp';
import { DomainStatusBadge } from './domain-status-badge';

export function DomainStatusLine({ domain: { status, verified_at, checked_at } }: { readonly domain: Domain }) {
  return (
    <Group gap="md" fz="sm" mt="xs">
      <DomainStatusBadge status={status} />
      {status === 'verified' && verified_at && (
        <span>
          since <Timestamp value={verified_at} />
        </span>
      )}
      {checked_at ? (
        <span>
          checked <RelativeTime value={checked_at} />
        </span>
      ) : (
        <span>not checked yet</span>
      )}
      <Anchor component={Link} to="/domains" inherit>
        All domains
      </Anchor>
    </Group>
  );
}
