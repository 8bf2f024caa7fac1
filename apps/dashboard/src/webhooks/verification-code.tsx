import { Code, Stack, Text } from '@mantine/core';
import { SECRET_VARIABLE, verificationLanguageNames, webhookVerification } from '@posthorn/code-samples';
import { LanguageTabs } from '../ui/language-tabs';

/** Programs that receive events and verify their signatures. */
export function VerificationCode() {
  return (
    <Stack gap="xs">
      <Text size="sm">
        This code needs no packages; the shell version needs openssl. It reads the secret from the environment variable{' '}
        <Code>{SECRET_VARIABLE}</Code>.
      </Text>
      <LanguageTabs names={verificationLanguageNames} codeIn={webhookVerification} />
    </Stack>
  );
}
