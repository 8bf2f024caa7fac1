import { Skeleton, Stack } from '@mantine/core';
import type { Deliverability } from '@posthorn/contract';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../ui/empty-state';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { BouncesSection } from './bounces-section';
import { DomainsSection } from './domains-section';
import { deliverabilityQuery } from './queries';
import { RatesSection } from './rates-section';
import { ReasonsSection } from './reasons-section';

export function DeliverabilityPage() {
  const query = useQuery(deliverabilityQuery);
  return (
    <Page
      title="Deliverability"
      description="How many of your live emails bounce or are marked as spam. Mailbox providers refuse senders whose rates are too high."
    >
      <Loaded query={query} skeleton={<Skeletons />}>
        {(deliverability) => <Sections deliverability={deliverability} />}
      </Loaded>
    </Page>
  );
}

function Sections({ deliverability }: { readonly deliverability: Deliverability }) {
  const { windows, domains, bounces } = deliverability;
  if (windows.every(({ sent, complained }) => sent + complained === 0))
    return (
      <EmptyState
        title="Nothing sent yet"
        text="Send a live email, and its bounces and complaints are counted here. Test mail and simulator addresses do not count."
      />
    );
  return (
    <>
      <RatesSection deliverability={deliverability} />
      <DomainsSection domains={domains} />
      <ReasonsSection bounces={bounces} />
      <BouncesSection />
    </>
  );
}

function Skeletons() {
  return (
    <Stack gap="lg">
      <Skeleton height={340} />
      <Skeleton height={180} />
      <Skeleton height={220} />
      <Skeleton height={340} />
    </Stack>
  );
}
