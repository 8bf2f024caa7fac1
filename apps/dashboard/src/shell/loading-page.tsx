import { Box, Skeleton, Stack } from '@mantine/core';

/** Shown while a page's code or data is still loading. */
export function LoadingPage() {
  return (
    <Box maw="var(--page-width)" mx="auto" aria-busy="true">
      <Skeleton height={32} width="40%" mb="xl" />
      <Stack gap="lg">
        <Skeleton height={118} />
        <Skeleton height={252} />
        <Skeleton height={320} />
      </Stack>
    </Box>
  );
}
