import { Page } from '../ui/page';

export function DomainPage() {
  return <Page title="DomainPage">To be built</Page>;
}
