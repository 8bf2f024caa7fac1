import { Page } from '../ui/page';

export function SettingsPage() {
  return <Page title="SettingsPage">To be built</Page>;
}
