import { Alert, Button, Group, type MantineColor, Text, TextInput } from '@mantine/core';
import type { Deleted, Domain, DomainRecord } from '@posthorn/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { OwnersOnly, useIsOwner } from '../accounts/session';
import { request, toPath } from '../api/request';
import { DialogForm, useApiForm, verbatim } from '../ui/api-form';
import { DialogButton } from '../ui/buttons';
import { type Icon, IconAlertTriangle, IconCircleCheck, IconHourglass } from '../ui/icons';
import { TextLink } from '../ui/links';
import { LoadedPage, Page, Section } from '../ui/page';
import { DomainSkeleton } from '../ui/skeletons';
import { RelativeTime, Timestamp } from '../ui/timestamp';
import { DnsProviderHelp } from './dns-provider-help';
import { RecordList } from './dns-records';
import { DomainStatusBadge, describeRecord } from './domain-labels';
import { SigningKeys, TrackingSettings } from './domain-settings';
import { domainQuery, domainsPath, domainsQuery } from './queries';
import { useVerify, VerifyResult } from './verify';

const page = getRouteApi('/app-layout/domains/$id');

export function DomainPage() {
  const query = useQuery(domainQuery(page.useParams().id));
  return (
    <LoadedPage title="Domain" query={query} skeleton={<DomainSkeleton />}>
      {(domain) => <LoadedDomain domain={domain} />}
    </LoadedPage>
  );
}

function LoadedDomain({ domain }: { readonly domain: Domain }) {
  const isOwner = useIsOwner();
  const verify = useVerify(domain);
  return (
    <Page
      title={domain.name}
      description={<DomainStatusLine domain={domain} />}
      actions={
        isOwner && (
          <Button
            variant={domain.status === 'verified' ? 'default' : 'filled'}
            loading={verify.isPending}
            onClick={() => verify.mutate()}
          >
            Verify now
          </Button>
        )
      }
    >
      <OwnersOnly action="verify this domain, change its settings, rotate its key or delete it" />
      <DomainSummary domain={domain} />
      <VerifyResult verify={verify} records={domain.records.length} />
      <RecordList domain={domain} />
      <DnsProviderHelp domain={domain} />
      <SigningKeys domain={domain} />
      {domain.tracking_available && <TrackingSettings domain={domain} />}
      {isOwner && <DeleteDomainSection domain={domain} />}
    </Page>
  );
}

function DomainStatusLine({ domain: { status, verified_at, checked_at } }: { readonly domain: Domain }) {
  return (
    <Group gap="md" fz="sm" mt="xs">
      <DomainStatusBadge status={status} />
      {status === 'verified' && verified_at && (
        <span>
          since <Timestamp value={verified_at} />
        </span>
      )}
      {checked_at ? (
        <span>
          checked <RelativeTime value={checked_at} />
        </span>
      ) : (
        <span>not checked yet</span>
      )}
      <TextLink to="/domains" inherit>
        All domains
      </TextLink>
    </Group>
  );
}

type Summary = {
  readonly color: MantineColor;
  readonly icon: Icon;
  readonly title: string;
  readonly text: string;
};

function DomainSummary({ domain }: { readonly domain: Domain }) {
  const required = domain.records.filter((record) => record.required);
  const isComplete = required.every(({ status }) => status === 'verified');
  const { color, icon: Icon, title, text } = summarize(domain, isComplete);
  return (
    <Alert role="status" color={color} title={title} icon={<Icon />}>
      {!isComplete && <>{countRecords(required)} </>}
      {text}
    </Alert>
  );
}

function summarize({ name, status }: Domain, isComplete: boolean): Summary {
  if (status === 'withdrawn') {
    return {
      color: 'red',
      icon: IconAlertTriangle,
      title: 'Withdrawn: you cannot send from this domain',
      text: 'The domain was verified, but required records were missing or wrong in two checks at least a day apart. Emails that are still waiting will fail for this reason. Restore the records. We keep checking, and will verify the domain again when we find them.',
    };
  }
  if (status === 'pending') {
    return {
      color: 'yellow',
      icon: IconHourglass,
      title: 'Waiting for DNS records',
      text: 'Add the records below at your DNS provider. We check every few minutes at first. Select Verify now to check immediately.',
    };
  }
  if (!isComplete) {
    return {
      color: 'orange',
      icon: IconAlertTriangle,
      title: 'Verified, but the last check did not find all records',
      text: 'You can still send. If a check has found the records before, restore them soon: when another check fails at least a day later, the domain is withdrawn.',
    };
  }
  return {
    color: 'green',
    icon: IconCircleCheck,
    title: 'Ready to send',
    text: `Emails from any address at ${name} are signed with this domain's key. Leave the records in place. We check them daily.`,
  };
}

const statusGroups: ReadonlyArray<readonly [DomainRecord['status'], string]> = [
  ['missing', 'missing'],
  ['wrong', 'wrong'],
  ['pending', 'not checked yet'],
];

/** `2 of 4 required records are in place; missing: DKIM, SPF.` */
function countRecords(required: readonly DomainRecord[]): string {
  const listTitles = (status: DomainRecord['status']) =>
    required.filter((record) => record.status === status).map((record) => describeRecord(record).title);
  const notInPlace = statusGroups.flatMap(([status, label]) => {
    const titles = listTitles(status);
    return titles.length > 0 ? [`${label}: ${titles.join(', ')}`] : [];
  });
  const inPlace = listTitles('verified').length;
  return `${[`${inPlace} of ${required.length} required records are in place`, ...notInPlace].join('; ')}.`;
}

function DeleteDomainSection({ domain }: { readonly domain: Domain }) {
  return (
    <Section
      title="Delete domain"
      description="You cannot send from a deleted domain. Emails from it that are still waiting, including scheduled ones, fail with an explanation when they are due."
    >
      <DialogButton color="red" variant="outline" label="Delete domain" title={`Delete ${domain.name}?`}>
        {(close) => <DeleteDomainForm domain={domain} onCancel={close} />}
      </DialogButton>
    </Section>
  );
}

type DeleteDomainFormProps = { readonly domain: Domain; readonly onCancel: () => void };

/** Users must type the domain name to confirm. */
function DeleteDomainForm({ domain: { id, name }, onCancel }: DeleteDomainFormProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { form, ...state } = useApiForm({
    initialValues: { name: '' },
    submit: () => request<Deleted<'domain'>>('DELETE', toPath(domainsPath, id)),
    onDone: async () => {
      await queryClient.invalidateQueries(domainsQuery);
      await navigate({ to: '/domains' });
      queryClient.removeQueries(domainQuery(id));
    },
    done: () => `${name} was deleted.`,
  });
  return (
    <DialogForm
      {...state}
      action="Delete domain"
      onCancel={onCancel}
      color="red"
      disabled={form.values.name.trim() !== name}
    >
      <Text>
        This deletes the domain's keys immediately. Emails from the domain that are still waiting will fail, so cancel
        them or let them go out first. This cannot be undone. If you add the domain again, it gets new DNS records.
      </Text>
      <TextInput
        label={
          <>
            To confirm, type <b className="breakable">{name}</b>
          </>
        }
        data-autofocus
        {...verbatim}
        {...form.getInputProps('name')}
      />
    </DialogForm>
  );
}
