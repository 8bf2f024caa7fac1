import { Code, Stack, Text } from '@mantine/core';
import { type SampleLanguage, sampleLanguageNames } from '@posthorn/code-samples';
import go from '../../../../docs/api/verify-webhook/receiver.go?raw';
import node from '../../../../docs/api/verify-webhook/receiver.mjs?raw';
import php from '../../../../docs/api/verify-webhook/receiver.php?raw';
import python from '../../../../docs/api/verify-webhook/receiver.py?raw';
import curl from '../../../../docs/api/verify-webhook/verify.sh?raw';
import { LanguageTabs } from '../ui/language-tabs';

const programs: Readonly<Record<SampleLanguage, string>> = { curl, node, python, php, go };

/** Programs that receive events and verify their signatures. The documentation shows them too. */
export function VerificationCode() {
  return (
    <Stack gap="xs">
      <Text size="sm">
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
