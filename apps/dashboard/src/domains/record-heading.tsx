import { Box, Group, Text } from '@mantine/core';
import type { DomainRecord } from '@posthorn/contract';
import { describeRecord, requirementOf } from './describe-record';
import { RecordStatusBadge } from './record-status-badge';

export function RecordHeading({ record }: { readonly record: DomainRecord }) {
  return (
    <Group justify="space-between" gap="xs" pr="xs">
      <Box>
        <Text fw={600} component="span" mr="xs">
          {describeRecord(record).title}
        </Text>
        <Text size="sm" c="dimmed" component="span">
          {requirementOf(record)}
        </Text>
      </Box>
      <RecordStatusBadge status={record.status} />
    </Group>
  );
}
