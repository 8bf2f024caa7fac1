import { Box, Stack, Text } from '@mantine/core';
import { type Bounce, type BounceClass, bounceClasses, type Deliverability, type List } from '@posthorn/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { get, toQueryString } from '../api/request';
import { type Column, DataTable } from '../ui/data-table';
import { SelectFilter } from '../ui/filters';
import { listOptions } from '../ui/format';
import { TextLink } from '../ui/links';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/page';
import { Pager } from '../ui/pager';
import { TableSkeleton } from '../ui/skeletons';
import { RelativeTime } from '../ui/timestamp';

/** Workers count every few seconds. */
export const REFRESH_MS = 10_000;

type ClassDescription = {
  readonly label: string;
  readonly meaning: string;
  readonly advice: string;
};

const classes: Readonly<Record<BounceClass, ClassDescription>> = {
  bad_mailbox: {
    label: 'No such mailbox',
    meaning: 'The mailbox does not exist. We no longer send to it.',
    advice: 'Remove the address from your lists, and confirm new addresses when people sign up.',
  },
  inactive: {
    label: 'Mailbox not used',
    meaning: 'The mailbox is disabled or no longer in use. We no longer send to it.',
    advice: 'Remove the address from your lists.',
  },
  bad_domain: {
    label: 'No such domain',
    meaning: 'The domain does not exist or takes no email.',
    advice: 'Look for typos, such as gmial.com.',
  },
  mailbox_full: {
    label: 'Mailbox full',
    meaning: 'The mailbox was full for as long as we tried.',
    advice: 'Nothing. If it stays full for weeks, we stop sending to it.',
  },
  rate: {
    label: 'Too many emails',
    meaning: 'The receiver takes only a limited number of emails at a time.',
    advice: 'Spread large mailings over hours or days.',
  },
  reputation: {
    label: 'Sender not trusted',
    meaning: 'The receiver distrusts the IP address or the domain that the email came from.',
    advice: 'Send only to people who want your emails. If it happens often, tell the operator of this service.',
  },
  authentication: {
    label: 'Not authenticated',
    meaning: 'SPF, DKIM, DMARC or reverse DNS is missing or wrong.',
    advice: 'Check the DNS records of your domain on the Domains page.',
  },
  content: {
    label: 'Content refused',
    meaning: 'The receiver refused this message, for example as spam or because it is too large.',
    advice: 'Read the reply of the mail server, and check links, attachments and wording.',
  },
  protocol: {
    label: 'Technical error',
    meaning: 'The mail server says that we broke the rules of SMTP.',
    advice: 'Tell the operator of this service, with the reply.',
  },
  unknown: {
    label: 'Other reason',
    meaning: 'The mail server gave a reason that we do not know.',
    advice: 'Read the reply of the mail server.',
  },
};

export function ReasonsSection({ bounces }: Pick<Deliverability, 'bounces'>) {
  return (
    <Section title="Why emails bounced" description="In the last 7 days.">
      {bounces.length === 0 ? (
        <Text c="dimmed">No email has bounced in the last 7 days.</Text>
      ) : (
        <DataTable
          verticalSpacing="sm"
          aria-label="Why emails bounced"
          isTopAligned
          rows={bounces}
          rowKey={(bounce) => bounce.class}
          columns={reasonColumns}
        />
      )}
    </Section>
  );
}

const reasonColumns: ReadonlyArray<Column<Deliverability['bounces'][number]>> = [
  { name: 'Reason', cell: (bounce) => <Reason bounceClass={bounce.class} /> },
  {
    name: 'What to do',
    from: 'sm',
    w: '40%',
    cell: (bounce) => <Text>{classes[bounce.class].advice}</Text>,
  },
  {
    name: 'Recipients',
    ta: 'right',
    w: '6rem',
    td: { style: { fontVariantNumeric: 'tabular-nums' } },
    cell: ({ count }) => count.toLocaleString(),
  },
];

function Reason({ bounceClass }: { readonly bounceClass: BounceClass }) {
  const { label, meaning, advice } = classes[bounceClass];
  return (
    <Stack gap={2}>
      <Text fw={500}>{label}</Text>
      <Text c="dimmed">{meaning}</Text>
      <Text hiddenFrom="sm">{advice}</Text>
    </Stack>
  );
}

const page = getRouteApi('/app-layout/deliverability');

type Search = ReturnType<typeof page.useSearch>;

const bouncesQuery = ({ after, before, reason }: Search) =>
  queryOptions({
    queryKey: ['bounces', after, before, reason],
    queryFn: () => get<List<Bounce>>(`/api/v1/bounces${toQueryString({ after, before, class: reason })}`),
    refetchInterval: REFRESH_MS,
  });

export function BouncesSection() {
  const search = page.useSearch();
  const navigate = page.useNavigate();
  const query = useQuery(bouncesQuery(search));
  const filter = (reason: string) => navigate({ search: { reason: reason || undefined }, resetScroll: false });
  return (
    <Section title="Bounced recipients" description="Newest first, for up to 60 days." gap="md">
      <Box component="search" maw="24rem">
        <SelectFilter
          label="Reason"
          options={listOptions(bounceClasses, (each) => classes[each].label)}
          value={search.reason ?? ''}
          onChange={filter}
        />
      </Box>
      <Loaded query={query} skeleton={<TableSkeleton rows={5} />}>
        {(list) => <Bounces list={list} search={search} />}
      </Loaded>
    </Section>
  );
}

type BouncesProps = { readonly list: List<Bounce>; readonly search: Search };

function Bounces({ list: { data, has_more: hasMore }, search }: BouncesProps) {
  if (data.length === 0)
    return (
      <Text c="dimmed">
        {search.reason === undefined ? 'No recipient has bounced.' : 'No recipient has bounced for this reason.'}
      </Text>
    );
  return (
    <>
      <DataTable
        layout="fixed"
        verticalSpacing="sm"
        aria-label="Bounced recipients"
        isTopAligned
        rows={data}
        columns={bounceColumns}
      />
      <Pager what="bounced recipients" cursor={search} hasMore={hasMore} rows={data} />
    </>
  );
}

const bounceColumns: ReadonlyArray<Column<Bounce>> = [
  {
    name: 'Recipient',
    isBreakable: true,
    cell: ({ email_id: id, recipient, reply, created_at, class: bounceClass }) => (
      <Stack gap={2}>
        <TextLink fw={500} to="/emails/$id" params={{ id }}>
          {recipient}
        </TextLink>
        <Box hiddenFrom="sm" fz="sm">
          {classes[bounceClass].label} · <RelativeTime value={created_at} />
        </Box>
        {reply !== null && (
          <Text size="xs" ff="monospace" c="dimmed">
            {reply}
          </Text>
        )}
      </Stack>
    ),
  },
  { name: 'Reason', from: 'sm', w: '10rem', cell: (bounce) => classes[bounce.class].label },
  { name: 'When', from: 'sm', w: '11rem', cell: ({ created_at }) => <RelativeTime value={created_at} /> },
];
