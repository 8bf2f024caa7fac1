import { Page } from '../ui/page';

export function UsagePage() {
  return <Page title="UsagePage">To be built</Page>;
}
