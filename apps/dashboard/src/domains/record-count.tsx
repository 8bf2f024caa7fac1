import { Text } from '@mantine/core';
import type { Domain } from '@posthorn/contract';

/** How far a domain is, as long as it lacks a record that it needs. */
export function RecordCount({ domain: { records } }: { readonly domain: Domain }) {
  const required = records.filter((record) => record.required);
  const inPlace = required.filter(({ status }) => status === 'verified');
  if (inPlace.length === required.length) return null;
  return (
    <Text size="xs" c="dimmed">
      {inPlace.length} of {required.length} required records are in place
    </Text>
  );
}
