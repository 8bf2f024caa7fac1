import { Page } from '../ui/page';

export function DomainsPage() {
  return <Page title="DomainsPage">To be built</Page>;
}
