import { Box, Group, Text } from '@mantine/core';
import type { DomainRecord } from '@posthorn/contract';
import { necessityOf, purposeOf } from './record-purpose';
import { RecordStatusBadge } from './record-status-badge';

export function RecordHeading({ record }: { readonly record: DomainRecord }) {
  return (
    <Group justify="space-between" gap="xs" pr="xs">
      <Box>
        <Text fw={600} component="span" mr="xs">
          {purposeOf(record).title}
        </Text>
        <Text size="sm" c="dimmed" component="span">
          {necessityOf(record)}
        </Text>
      </Box>
      <RecordStatusBadge status={record.status} />
    </Group>
  );
}
