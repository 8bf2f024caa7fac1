import { Accordion, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Webhook } from '@posthorn/contract';
import { Section } from '../ui/section';
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
