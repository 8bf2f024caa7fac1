import { Stack, Switch } from '@mantine/core';
import type { DomainRecord } from '@posthorn/contract';
import { useState } from 'react';
import { Copyable } from '../ui/copyable';
import { describeRecord } from './describe-record';
import { quotedStrings } from './zone-file';

/** What the record says; long texts also in the strings that some panels and zone files want. */
export function RecordValue({ record }: { readonly record: DomainRecord }) {
  const { value, value_split: strings = [] } = record;
  const [isSplit, setSplit] = useState(false);
  return (
    <Stack gap="xs">
      <Copyable
        block
        value={isSplit ? quotedStrings(strings) : value}
        what={`the value of ${describeRecord(record).title}`}
      />
      {strings.length > 1 && (
        <Switch
          size="sm"
          label="In quoted strings of at most 255 characters"
          description="For zone files, Route 53, and panels that find the value too long"
          checked={isSplit}
          onChange={({ currentTarget }) => setSplit(currentTarget.checked)}
        />
      )}
    </Stack>
  );
}
