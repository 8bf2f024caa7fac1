import { Stack, Switch } from '@mantine/core';
import type { DomainRecord } from '@posthorn/contract';
import { useState } from 'react';
import { Copyable } from '../ui/copyable';
import { describeRecord } from './describe-record';
import { quotedStrings } from './zone-file';

/** Long values can be split into the quoted strings that some providers and zone files need. */
export function RecordValue({ record }: { readonly record: DomainRecord }) {
  const { value, value_split: strings = [] } = record;
  const [isSplit, setSplit] = useState(false);
  return (
    <Stack gap="xs">
      <Copyable
        block
        value={isSplit ? quotedStrings(strings) : value}
        what={`the value of the ${describeRecord(record).title} record`}
      />
      {strings.length > 1 && (
        <Switch
          size="sm"
          label="Split into quoted strings of at most 255 characters"
          description="For zone files, Route 53 and providers that reject the value as too long"
          checked={isSplit}
          onChange={({ currentTarget }) => setSplit(currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
