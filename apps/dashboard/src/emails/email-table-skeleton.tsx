import { Paper, Skeleton, Stack } from '@mantine/core';

/** As tall as the table, so that the layout does not jump. */
export function EmailTableSkeleton({ rows }: { readonly rows: number }) {
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        {Array.from({ length: rows }, (_, row) => `row-${row}`).map((key) => (
          <Skeleton key={key} height={30} />
        ))}
      </Stack>
    </Paper>
  );
}
