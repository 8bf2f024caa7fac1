import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { OwnersOnly } from '../accounts/owners-only';
import { useIsOwner } from '../accounts/workspaces';
import { IconPlus } from '../ui/icons';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { TableSkeleton } from '../ui/table-skeleton';
import { AddDomainDialog } from './add-domain-dialog';
import { DomainTable } from './domain-table';
import { NoDomains } from './no-domains';
import { domainsQuery } from './queries';

export function DomainsPage() {
  const isOwner = useIsOwner();
  const domains = useQuery(domainsQuery);
  const [adding, { open, close }] = useDisclosure();
  const add = isOwner && (
    <Button onClick={open} leftSection={<IconPlus size={16} />}>
      Add domain
    </Button>
  );
  const hasSome = (domains.data?.length ?? 0) > 0;
  return (
    <Page
      title="Domains"
      description="Send signed emails from your own domain, so that receivers can verify they come from you."
      actions={hasSome && add}
    >
      <OwnersOnly action="add, verify and delete domains" />
      <Loaded query={domains} skeleton={<TableSkeleton rows={3} />}>
        {(all) => (all.length > 0 ? <DomainTable domains={all} /> : <NoDomains>{add}</NoDomains>)}
      </Loaded>
      <AddDomainDialog opened={adding} onClose={close} />
    </Page>
  );
}
