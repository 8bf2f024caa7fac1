import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { CapsSection } from './caps-section';
import { HistorySection } from './history-section';
import { LimitsSection } from './limits-section';
import { PlanSection } from './plan-section';
import { usageQuery } from './queries';
import { UsageSkeleton } from './usage-skeleton';

/** The usage includes sends a few seconds after their email is accepted. */
const REFRESH_MS = 10_000;

export function UsagePage() {
  const query = useQuery({ ...usageQuery, refetchInterval: REFRESH_MS });
  return (
    <Page title="Usage & plan" description="A send is one recipient of an accepted email. Retries are free.">
      <Loaded query={query} skeleton={<UsageSkeleton />}>
        {(usage) => (
          <>
            <CapsSection usage={usage} />
            <HistorySection history={usage.history} />
            <PlanSection usage={usage} />
            <LimitsSection usage={usage} />
          </>
        )}
      </Loaded>
    </Page>
  );
}
