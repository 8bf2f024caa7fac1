import { Skeleton, Stack } from '@mantine/core';

/** The sections of a domain that is still loading: its summary and its DNS records. */
export function DomainSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={96} />
      <Skeleton height={480} />
    </Stack>
  );
}
