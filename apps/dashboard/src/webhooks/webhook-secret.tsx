import { Text } from '@mantine/core';
import type { GuardProps } from '../ui/guarded-modal';
import { ShownOnce } from '../ui/shown-once';
import { VerificationCode } from './verification-code';

type Props = GuardProps & { readonly secret: string };

/** Shows a new secret, which cannot be shown again, and code that verifies requests with it. */
export function WebhookSecret({ secret, ...guard }: Props) {
  return (
    <ShownOnce
      {...guard}
      value={secret}
      what="secret"
      warning="The secret is shown only once. Your server needs it to verify that requests come from us. Anyone who has it can forge them."
      ifLost="You would have to rotate the secret."
    >
      {() => (
        <div>
          <Text size="sm" fw={600} mb={4}>
            Verify requests
          </Text>
          <VerificationCode />
        </div>
      )}
    </ShownOnce>
  );
}
