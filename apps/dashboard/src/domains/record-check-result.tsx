import { Alert, Code, Stack, Text } from '@mantine/core';
import type { DomainRecord } from '@posthorn/contract';

/** The message from the last check and the values that it found in DNS. */
export function RecordCheckResult({ record: { status, found, message } }: { readonly record: DomainRecord }) {
  if (message === null) return null;
  return (
    <Alert color={status === 'wrong' ? 'red' : 'yellow'} variant="light" p="sm">
      <Text size="sm" className="breakable">
        {message}
      </Text>
      {found.length > 0 && (
        <Stack gap={4} mt="xs">
          <Text size="sm">Currently in DNS:</Text>
          {[...new Set(found)].map((value) => (
            <Code key={value} block className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
              {value}
            </Code>
          ))}
        </Stack>
      )}
    </Alert>
  );
}
