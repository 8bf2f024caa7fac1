import { Accordion, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Webhook } from '@posthorn/contract';
import { Section } from '../ui/section';
import { RelativeTime } from '../ui/timestamp';
import { RotateSecretDialog } from './rotate-secret-dialog';
import { VerificationCode } from './verification-code';

export function SecretSection({ webhook }: { readonly webhook: Webhook }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <Section
      title="Signing secret"
      description="Every request is signed with it, as described by Standard Webhooks. Rotate it if someone else may know it, or if you have lost it."
      actions={
        <Button variant="default" onClick={open}>
          Rotate secret
        </Button>
      }
    >
      <OldSecrets webhook={webhook} />
      <Accordion variant="contained" order={3}>
        <Accordion.Item value="code">
          <Accordion.Control>Code that verifies requests</Accordion.Control>
          <Accordion.Panel>
            <VerificationCode />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
      <RotateSecretDialog webhook={webhook} opened={opened} onClose={close} />
    </Section>
  );
}

function OldSecrets({ webhook: { old_secrets_expire_at: end } }: { readonly webhook: Webhook }) {
  if (end === null || Date.parse(end) <= Date.now()) return null;
  return (
    <Text size="sm" mb="sm">
      Requests are also signed with older secrets, which expire <RelativeTime value={end} />.
    </Text>
  );
}
