import { Page } from '../ui/page';

export function VersionsPage() {
  return <Page title="VersionsPage">To be built</Page>;
}
