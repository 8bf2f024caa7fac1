import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { Section } from '../ui/section';
import { HistoryChart } from '../usage/history-chart';
import { usageQuery } from '../usage/queries';
import { CapNotices } from './cap-notices';
import { Caps } from './caps';
import { DeliveryRates } from './delivery-rates';
import { FirstSteps } from './first-steps';
import classes from './overview.module.css';
import { PlatformSender } from './platform-sender';
import { RecentEmails } from './recent-emails';

const REFRESH_MS = 10_000;

export function OverviewPage() {
  const usage = useQuery({ ...usageQuery, refetchInterval: REFRESH_MS });
  return (
    <Page title="Overview" description={<PlatformSender />}>
      {usage.data && <CapNotices usage={usage.data} />}
      <FirstSteps />
      <DeliveryRates />
      <div className={classes.pair}>
        <Section title="Sends per day">
          <Loaded query={usage} skeleton={<Skeleton height={252} />}>
            {({ history }) => <HistoryChart history={history} />}
          </Loaded>
        </Section>
        <Section title="Caps">
          <Loaded query={usage} skeleton={<Skeleton height={210} />}>
            {(data) => <Caps usage={data} />}
          </Loaded>
        </Section>
      </div>
      <RecentEmails />
    </Page>
  );
}
