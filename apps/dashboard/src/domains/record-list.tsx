import { Accordion, NativeSelect, Stack } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { useState } from 'react';
import { Section } from '../ui/section';
import { recordId } from './describe-record';
import { RecordDetails } from './record-details';
import { RecordHeading } from './record-heading';
import { RecordTable } from './record-table';
import { guessZone, zonesOf } from './zone';

/** The DNS records to add. The details of records with a problem are open. */
export function RecordList({ domain: { name, records } }: { readonly domain: Domain }) {
  const [zone, setZone] = useState(() => guessZone(name));
  const zones = zonesOf(name);
  const ids = records.map((record) => `${recordId(record)} ${record.status}`);
  return (
    <Section
      title="DNS records"
      description="Add these records where you manage the domain's DNS: at your registrar, or at a provider such as Cloudflare."
    >
      <Stack>
        {zones.length > 1 && (
          <NativeSelect
            label="Zone"
            description="The domain as listed by your DNS provider. It determines the host of each record."
            data={zones}
            value={zone}
            onChange={({ currentTarget }) => setZone(currentTarget.value)}
            maw={360}
          />
        )}
        <RecordTable records={records} zone={zone} />
        {/* The key resets the accordion when a check changes the records, so that a problem is shown. */}
        <Accordion
          key={ids.join()}
          multiple
          variant="separated"
          order={3}
          defaultValue={records.filter(({ status }) => status === 'wrong' || status === 'missing').map(recordId)}
        >
          {records.map((record) => (
            <Accordion.Item
              key={recordId(record)}
              value={recordId(record)}
              id={recordId(record)}
              style={{ scrollMarginTop: '5rem' }}
            >
              <Accordion.Control>
                <RecordHeading record={record} />
              </Accordion.Control>
              <Accordion.Panel>
                <RecordDetails record={record} zone={zone} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      </Stack>
    </Section>
  );
}
