import { SimpleGrid, Skeleton, Stack } from '@mantine/core';

/** The sections of an email that is still loading. */
export function EmailSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={210} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Skeleton height={240} />
        <Skeleton height={240} />
      </SimpleGrid>
      <Skeleton height={640} />
    </Stack>
  );
}
