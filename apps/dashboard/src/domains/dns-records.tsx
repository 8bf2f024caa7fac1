import { Accordion, Alert, Box, Code, Group, NativeSelect, Stack, Switch, Text } from '@mantine/core';
import type { Domain, DomainRecord } from '@posthorn/contract';
import { useState } from 'react';
import { CodeBlock, Copyable, CopyButton } from '../ui/copyable';
import { DataTable } from '../ui/data-table';
import { Caption, Fact, Facts } from '../ui/facts';
import { Section } from '../ui/page';
import { describeRecord, describeRequirement, getRecordId, RecordStatusBadge } from './domain-labels';
import { guessZone, listZones, quoteStrings, toHost } from './zone';

/** The DNS records to add. The details of records with a problem are open. */
export function RecordList({ domain: { name, records } }: { readonly domain: Domain }) {
  const [zone, setZone] = useState(() => guessZone(name));
  const zones = listZones(name);
  const ids = records.map((record) => `${getRecordId(record)} ${record.status}`);
  return (
    <Section
      title="DNS records"
      description="Add these records where you manage the domain's DNS: at your registrar, or at a provider such as Cloudflare."
      gap="md"
    >
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
        defaultValue={records.filter(({ status }) => status === 'wrong' || status === 'missing').map(getRecordId)}
      >
        {records.map((record) => (
          <Accordion.Item
            key={getRecordId(record)}
            value={getRecordId(record)}
            id={getRecordId(record)}
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
    </Section>
  );
}

/** All records at a glance, ready to be copied one by one. On phones, the type moves below the host. */
function RecordTable({ records, zone }: { readonly records: readonly DomainRecord[]; readonly zone: string }) {
  return (
    <DataTable
      layout="fixed"
      verticalSpacing="xs"
      aria-label="DNS records"
      rows={records}
      rowKey={getRecordId}
      columns={[
        { name: 'Type', from: 'sm', w: 80, cell: ({ type }) => type },
        {
          name: 'Host',
          cell: (record) => (
            <>
              <Cut
                text={toHost(zone, record.name)}
                what={`the host in the table for ${describeRecord(record).title}`}
              />
              <Box hiddenFrom="sm" mt={4}>
                <Caption>{record.type}</Caption>
                <RecordStatusBadge status={record.status} />
              </Box>
            </>
          ),
        },
        {
          name: 'Value',
          cell: (record) => (
            <>
              <Cut text={record.value} what={`the value in the table for ${describeRecord(record).title}`} />
              {record.priority !== undefined && <Caption>Priority {record.priority}</Caption>}
            </>
          ),
        },
        { name: 'Status', from: 'sm', w: 160, cell: ({ status }) => <RecordStatusBadge status={status} /> },
      ]}
    />
  );
}

function Cut({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <Group gap={4} wrap="nowrap" justify="space-between">
      <Text size="md" truncate component="div" miw={0} title={text}>
        <Code>{text}</Code>
      </Text>
      <CopyButton value={text} what={what} />
    </Group>
  );
}

function RecordHeading({ record }: { readonly record: DomainRecord }) {
  return (
    <Group justify="space-between" gap="xs" pr="xs">
      <Box>
        <Text size="md" fw={600} component="span" mr="xs">
          {describeRecord(record).title}
        </Text>
        <Text c="dimmed" component="span">
          {describeRequirement(record)}
        </Text>
      </Box>
      <RecordStatusBadge status={record.status} />
    </Group>
  );
}

function RecordDetails({ record, zone }: { readonly record: DomainRecord; readonly zone: string }) {
  const { title, purpose } = describeRecord(record);
  const { type, name, ttl, priority } = record;
  return (
    <Stack gap="sm">
      <Text>{purpose}</Text>
      <RecordCheckResult record={record} />
      <Facts columns={1}>
        <Fact name="Type">{type}</Fact>
        <Fact name="Name">
          <Copyable value={toHost(zone, name)} what={`the host of the ${title} record`} />
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

/** Long values can be split into the quoted strings that some providers and zone files need. */
function RecordValue({ record }: { readonly record: DomainRecord }) {
  const { value, value_split: strings = [] } = record;
  const [isSplit, setSplit] = useState(false);
  return (
    <Stack gap="xs">
      <Copyable
        block
        value={isSplit ? quoteStrings(strings) : value}
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

function RecordCheckResult({ record: { status, found, message } }: { readonly record: DomainRecord }) {
  if (message === null) return null;
  return (
    <Alert color={status === 'wrong' ? 'red' : 'yellow'} p="sm">
      <Text className="breakable">{message}</Text>
      {found.length > 0 && (
        <Stack gap={4} mt="xs">
          <Text>Currently in DNS:</Text>
          {[...new Set(found)].map((value) => (
            <CodeBlock key={value}>{value}</CodeBlock>
          ))}
        </Stack>
      )}
    </Alert>
  );
}
