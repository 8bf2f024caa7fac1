import { Page } from '../ui/page';

export function ApiKeysPage() {
  return <Page title="ApiKeysPage">To be built</Page>;
}
