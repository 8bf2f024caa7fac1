import { Paper, Skeleton, Stack } from '@mantine/core';

/** Rows of a table that is still loading. As many as usual, so that the layout does not jump. */
export function TableSkeleton({ rows }: { readonly rows: number }) {
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
