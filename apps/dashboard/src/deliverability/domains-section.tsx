import { Anchor, Table, Text } from '@mantine/core';
import type { Deliverability, SendingWindow } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { Section } from '../ui/section';
import { formatRate, levels } from './rate-level';

type DomainRates = Deliverability['domains'][number];

export function DomainsSection({ domains }: Pick<Deliverability, 'domains'>) {
  return (
    <Section title="Sending domains" description="In the last 30 days.">
      <Table verticalSpacing="sm" horizontalSpacing="xs" aria-label="Sending domains">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Domain</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              Recipients
            </Table.Th>
            <Table.Th ta="right">Bounces</Table.Th>
            <Table.Th ta="right">Complaints</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody style={{ fontVariantNumeric: 'tabular-nums' }}>
          {domains.map((domain) => (
            <DomainRow key={domain.domain_id} domain={domain} />
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}

function DomainRow({ domain: { domain_id: id, name, windows } }: { readonly domain: DomainRates }) {
  const window = windows.find((each) => each.window === '30d');
  if (!window) return null;
  return (
    <Table.Tr>
      <Table.Td className="breakable">
        <DomainName id={id} name={name} />
        {window.status !== 'ok' && (
          <Text size="xs" c="dimmed">
            {levels[window.status].label}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right" visibleFrom="sm">
        {window.sent.toLocaleString()}
      </Table.Td>
      <Table.Td ta="right">
        <Rate rate={window.bounce_rate} count={window.bounced} />
      </Table.Td>
      <Table.Td ta="right">
        <Rate rate={window.complaint_rate} count={window.complained} />
      </Table.Td>
    </Table.Tr>
  );
}

function DomainName({ id, name }: { readonly id: string | null; readonly name: string | null }) {
  if (id === null) return `${name} (platform sender)`;
  if (name === null) return 'Deleted domain';
  return (
    <Anchor fw={500} fz="sm" renderRoot={(props) => <Link {...props} to="/domains/$id" params={{ id }} />}>
      {name}
    </Anchor>
  );
}

type RateProps = { readonly rate: SendingWindow['bounce_rate']; readonly count: number };

/** With few recipients, there is a count but no rate. */
function Rate({ rate, count }: RateProps) {
  return rate === null ? count.toLocaleString() : `${formatRate(rate)} (${count.toLocaleString()})`;
}
