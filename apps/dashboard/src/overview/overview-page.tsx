import { Page } from '../ui/page';

export function OverviewPage() {
  return <Page title="OverviewPage">To be built</Page>;
}
