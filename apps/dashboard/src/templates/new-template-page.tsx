import { Page } from '../ui/page';

export function NewTemplatePage() {
  return <Page title="NewTemplatePage">To be built</Page>;
}
