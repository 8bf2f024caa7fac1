import { Skeleton, Stack } from '@mantine/core';

/** The sections of the usage page while it is loading: caps, history, plan and limits. */
export function UsageSkeleton() {
  return (
    <Stack gap="lg">
      <Skeleton height={190} />
      <Skeleton height={350} />
      <Skeleton height={290} />
      <Skeleton height={240} />
    </Stack>
  );
}
