import { Accordion, Button, Code, NativeSelect, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type SampleLanguage, sampleLanguageNames } from '@posthorn/code-samples';
import type { RotateWebhookSecretRequest, Webhook, WebhookWithSecret } from '@posthorn/contract';
import go from '../../../../docs/api/verify-webhook/receiver.go?raw';
import node from '../../../../docs/api/verify-webhook/receiver.mjs?raw';
import php from '../../../../docs/api/verify-webhook/receiver.php?raw';
import python from '../../../../docs/api/verify-webhook/receiver.py?raw';
import curl from '../../../../docs/api/verify-webhook/verify.sh?raw';
import { request, toPath } from '../api/request';
import { DialogForm, useApiForm } from '../ui/api-form';
import { LanguageTabs } from '../ui/code-samples';
import { Section } from '../ui/page';
import { type GuardProps, ShownOnce, ShownOnceDialog } from '../ui/shown-once';
import { RelativeTime } from '../ui/timestamp';
import { webhooksPath } from './queries';

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
      <ShownOnceDialog<WebhookWithSecret>
        title="Rotate the signing secret"
        opened={opened}
        onClose={close}
        form={(steps) => <RotateForm webhook={webhook} {...steps} />}
      >
        {({ secret }, guard) => <WebhookSecret secret={secret} {...guard} />}
      </ShownOnceDialog>
    </Section>
  );
}

function OldSecrets({ webhook: { old_secrets_expire_at: end } }: { readonly webhook: Webhook }) {
  if (end === null || Date.parse(end) <= Date.now()) return null;
  return (
    <Text mb="sm">
      Requests are also signed with older secrets, which expire <RelativeTime value={end} />.
    </Text>
  );
}

const overlaps = [
  { value: '0', label: 'Not at all: every old secret stops within seconds' },
  { value: '3600', label: 'For 1 hour' },
  { value: '86400', label: 'For 1 day' },
  { value: '604800', label: 'For 7 days' },
];

type RotateFormProps = {
  readonly webhook: Webhook;
  readonly onCancel: () => void;
  readonly onMade: (rotated: WebhookWithSecret) => void;
};

function RotateForm({ webhook: { id }, onCancel, onMade }: RotateFormProps) {
  const { form, ...state } = useApiForm({
    initialValues: { overlap_seconds: '86400' },
    submit: ({ overlap_seconds: seconds }) =>
      request<WebhookWithSecret>('POST', `${toPath(webhooksPath, id)}/rotate-secret`, {
        overlap_seconds: Number(seconds),
      } satisfies RotateWebhookSecretRequest),
    onDone: onMade,
  });
  return (
    <DialogForm {...state} action="Rotate secret" onCancel={onCancel}>
      <Text>
        You get a new secret. Requests can also be signed with the old secret for a while, so your server keeps
        accepting them until you install the new one.
      </Text>
      <NativeSelect
        label="Keep signing with the old secret"
        data={overlaps}
        data-autofocus
        {...form.getInputProps('overlap_seconds')}
      />
    </DialogForm>
  );
}

type WebhookSecretProps = GuardProps & { readonly secret: string };

export function WebhookSecret({ secret, ...guard }: WebhookSecretProps) {
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
          <Text fw={600} mb={4}>
            Verify requests
          </Text>
          <VerificationCode />
        </div>
      )}
    </ShownOnce>
  );
}

const programs: Readonly<Record<SampleLanguage, string>> = { curl, node, python, php, go };

/** Programs that receive events and verify their signatures. The documentation shows them too. */
function VerificationCode() {
  return (
    <Stack gap="xs">
      <Text>
        This code needs no packages; the shell version needs openssl. It reads the secret from the environment variable{' '}
        <Code>POSTHORN_WEBHOOK_SECRET</Code>.
      </Text>
      <LanguageTabs
        names={{ ...sampleLanguageNames, curl: 'Shell' }}
        codeIn={(language) => programs[language].trimEnd()}
      />
    </Stack>
  );
}
