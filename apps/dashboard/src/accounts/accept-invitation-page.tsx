import { Page } from '../ui/page';

export function AcceptInvitationPage() {
  return <Page title="AcceptInvitationPage">To be built</Page>;
}
