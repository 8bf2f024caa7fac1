import { Page } from '../ui/page';

export function ResetPasswordPage() {
  return <Page title="ResetPasswordPage">To be built</Page>;
}
