import { Skeleton, Stack } from '@mantine/core';

/** A form that is still loading: fields with their labels, and a button. */
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
