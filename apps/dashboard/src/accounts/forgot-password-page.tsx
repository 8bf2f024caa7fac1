import { Page } from '../ui/page';

export function ForgotPasswordPage() {
  return <Page title="ForgotPasswordPage">To be built</Page>;
}
