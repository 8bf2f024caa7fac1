import { Accordion, Stack, Text } from '@mantine/core';
import type { ApiKey } from '@posthorn/contract';
import { Timestamp } from '../ui/timestamp';

export function RevokedKeys({ keys }: { readonly keys: readonly ApiKey[] }) {
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="revoked">
        <Accordion.Control>Revoked keys ({keys.length})</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            {keys.map(({ id, name, hint, scopes, revoked_at }) => (
              <div key={id}>
                <Text size="sm" className="breakable">
                  {name}{' '}
                  <Text span ff="monospace" size="xs" c="dimmed">
                    ph_…{hint}
                  </Text>
                </Text>
                <Text size="xs" c="dimmed">
                  {scopes.join(', ')}; revoked {revoked_at && <Timestamp value={revoked_at} />}
                </Text>
              </div>
            ))}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
