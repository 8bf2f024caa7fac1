import { Anchor, Group } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { Timestamp } from '../ui/timestamp';
import { DomainState } from './domain-state';

/** Beneath the name: the state, and since when. */
export function DomainFacts({ domain: { status, verified_at, checked_at, created_at } }: { readonly domain: Domain }) {
  return (
    <Group gap="xs">
      <DomainState status={status} />
      {status === 'verified' && verified_at !== null ? (
        <span>
          since <Timestamp value={verified_at} />,
        </span>
      ) : (
        <span>
          added <Timestamp value={created_at} />,
        </span>
      )}
      <span>
        {checked_at ? (
          <>
            last checked <Timestamp value={checked_at} />
          </>
        ) : (
          'not checked yet'
        )}
      </span>
      <Anchor component={Link} to="/domains" size="sm">
        All domains
      </Anchor>
    </Group>
  );
}
