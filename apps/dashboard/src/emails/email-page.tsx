import { Page } from '../ui/page';

export function EmailPage() {
  return <Page title="EmailPage">To be built</Page>;
}
