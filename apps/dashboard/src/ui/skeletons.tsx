import { Paper, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import classes from './skeletons.module.css';

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

export function FormSkeleton({ fields }: { readonly fields: number }) {
  return (
    <Stack gap="md">
      {Array.from({ length: fields }, (_, field) => `field-${field}`).map((key) => (
        <Stack key={key} gap={6}>
          <Skeleton height={16} width="30%" />
          <Skeleton height={36} />
        </Stack>
      ))}
      <Skeleton height={36} />
    </Stack>
  );
}

export function SectionSkeletons({ heights }: { readonly heights: readonly number[] }) {
  return (
    <Stack gap="lg">
      {Object.entries(heights).map(([key, height]) => (
        <Skeleton key={key} height={height} />
      ))}
    </Stack>
  );
}

export function FiguresSkeleton() {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={{ base: 'sm', sm: 'lg' }}>
      <Skeleton height={118} />
      <Skeleton height={118} />
      <Skeleton height={118} />
    </SimpleGrid>
  );
}

/** The sections of the overview of a workspace that sends: figures, chart, caps and recent emails. */
export function OverviewSkeleton() {
  return (
    <Stack gap="lg">
      <FiguresSkeleton />
      <div className={classes.pair}>
        <Skeleton height={340} />
        <Skeleton height={340} />
      </div>
      <TableSkeleton rows={5} />
    </Stack>
  );
}

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

export const ComposeSkeleton = () => <SectionSkeletons heights={[460, 640, 160]} />;

export const DomainSkeleton = () => <SectionSkeletons heights={[96, 480]} />;

export const UsageSkeleton = () => <SectionSkeletons heights={[310, 350, 350, 330]} />;
