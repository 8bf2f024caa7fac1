import { Page } from '../ui/page';

export function EmailsPage() {
  return <Page title="EmailsPage">To be built</Page>;
}
