import { Skeleton, Stack } from '@mantine/core';

/** The sections of the form: recipients, content and delivery. */
export function ComposeSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={460} />
      <Skeleton height={640} />
      <Skeleton height={160} />
    </Stack>
  );
}
