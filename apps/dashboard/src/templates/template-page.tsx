import { Page } from '../ui/page';

export function TemplatePage() {
  return <Page title="TemplatePage">To be built</Page>;
}
