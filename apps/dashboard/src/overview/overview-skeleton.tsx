import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { TableSkeleton } from '../ui/table-skeleton';
import classes from './overview.module.css';

/** The sections of the overview of a workspace that sends: figures, chart, caps and recent emails. */
export function OverviewSkeleton() {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={{ base: 'sm', sm: 'lg' }}>
        <Skeleton height={118} />
        <Skeleton height={118} />
        <Skeleton height={118} />
      </SimpleGrid>
      <div className={classes.pair}>
        <Skeleton height={340} />
        <Skeleton height={340} />
      </div>
      <TableSkeleton rows={5} />
    </Stack>
  );
}
