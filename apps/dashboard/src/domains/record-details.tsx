import { Stack, Text } from '@mantine/core';
import type { DomainRecord } from '@posthorn/contract';
import { Copyable } from '../ui/copyable';
import { Fact, Facts } from '../ui/facts';
import { describeRecord } from './describe-record';
import { RecordCheckResult } from './record-check-result';
import { RecordValue } from './record-value';
import { hostIn } from './zone';

type Props = { readonly record: DomainRecord; readonly zone: string };

/** One record, with the fields that DNS providers ask for. */
export function RecordDetails({ record, zone }: Props) {
  const { title, purpose } = describeRecord(record);
  const { type, name, ttl, priority } = record;
  return (
    <Stack gap="sm">
      <Text size="sm">{purpose}</Text>
      <RecordCheckResult record={record} />
      <Facts columns={1}>
        <Fact name="Type">{type}</Fact>
        <Fact name="Name">
          <Copyable value={hostIn(zone, name)} what={`the host of the ${title} record`} />
          <Text size="xs" c="dimmed" mt={2} mb="xs">
            The host, for providers that add {zone} automatically, as most do.
          </Text>
          <Copyable value={name} what={`the full name of the ${title} record`} />
          <Text size="xs" c="dimmed" mt={2}>
            The full name, for all other providers.
          </Text>
        </Fact>
        <Fact name="Value">
          <RecordValue record={record} />
        </Fact>
        {priority !== undefined && <Fact name="Priority">{priority}</Fact>}
        <Fact name="TTL">{ttl} seconds, or the nearest value your provider offers</Fact>
      </Facts>
    </Stack>
  );
}
