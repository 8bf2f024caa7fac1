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
            The password for {user.email}. Changing it ends all your other sessions. You stay logged in here.
          </span>
        }
      >
        <ChangePasswordForm email={user.email} />
      </Section>
      <SessionsSection />
    </Stack>
  );
}
