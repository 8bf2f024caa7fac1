import { Stack } from '@mantine/core';
import { Section } from '../ui/section';
import { ChangePasswordForm } from './change-password-form';
import { useSession } from './session';
import { SessionsSection } from './sessions-section';

export function AccountSettings() {
  const { user } = useSession();
  return (
    <Stack gap="lg">
      <Section
        title="Password"
        description={
          <span className="breakable">
            Of the account {user.email}. When it is changed, you stay logged in here, and all other sessions end.
          </span>
        }
      >
        <ChangePasswordForm email={user.email} />
      </Section>
      <SessionsSection />
    </Stack>
  );
}
