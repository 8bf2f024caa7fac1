import { Button } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { OwnersOnly } from '../accounts/owners-only';
import { useIsOwner } from '../accounts/workspaces';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { DeleteDomainSection } from './delete-domain-section';
import { DnsProviderHelp } from './dns-provider-help';
import { DomainSkeleton } from './domain-skeleton';
import { DomainStatusLine } from './domain-status-line';
import { DomainSummary } from './domain-summary';
import { domainQuery } from './queries';
import { RecordList } from './record-list';
import { SigningKeys } from './signing-keys';
import { TrackingSettings } from './tracking-settings';
import { useVerify } from './use-verify';
import { VerifyResult } from './verify-result';

const page = getRouteApi('/app-layout/domains/$id');

export function DomainPage() {
  const domain = useQuery(domainQuery(page.useParams().id));
  return domain.data ? (
    <LoadedDomain domain={domain.data} />
  ) : (
    <Page title="Domain">
      <Loaded query={domain} skeleton={<DomainSkeleton />}>
        {() => null}
      </Loaded>
    </Page>
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
