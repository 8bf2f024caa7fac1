import { Page } from '../ui/page';

export function TemplatesPage() {
  return <Page title="TemplatesPage">To be built</Page>;
}
