import { Grid, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSession } from '../accounts/session';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { Section } from '../ui/section';
import { usageQuery } from '../usage/queries';
import { SendsChart } from '../usage/sends-chart';
import { CapNotices } from './cap-notices';
import { Caps } from './caps';
import { DeliveryRates } from './delivery-rates';
import { FirstSteps } from './first-steps';
import { PlatformSender } from './platform-sender';
import { RecentMail } from './recent-mail';

const LIVE_MS = 10_000;

export function OverviewPage() {
  const { workspace } = useSession();
  const usage = useQuery({ ...usageQuery, refetchInterval: LIVE_MS });
  return (
    <Page title="Overview" description={workspace.name}>
      {usage.data && <CapNotices usage={usage.data} />}
      <FirstSteps />
      <DeliveryRates />
      <Grid gap="lg" align="stretch">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Section title="Sends a day">
            <Loaded query={usage} skeleton={<Skeleton height={252} />}>
              {({ history }) => <SendsChart history={history} />}
            </Loaded>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <Section title="Caps">
              <Loaded query={usage} skeleton={<Skeleton height={140} />}>
                {(data) => <Caps usage={data} />}
              </Loaded>
            </Section>
            <PlatformSender />
          </Stack>
        </Grid.Col>
      </Grid>
      <RecentMail />
    </Page>
  );
}
