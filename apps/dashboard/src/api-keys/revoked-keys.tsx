import { Accordion, Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { RelativeTime } from '../ui/timestamp';
import { revokedKeysQuery } from './queries';

/** Renders nothing if no key was revoked. */
export function RevokedKeys() {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(revokedKeysQuery);
  const keys = data?.pages.flatMap((page) => page.data) ?? [];
  if (keys.length === 0) return null;
  return (
    <Accordion variant="contained" order={2}>
      <Accordion.Item value="revoked">
        <Accordion.Control>Revoked keys ({hasNextPage ? `the newest ${keys.length}` : keys.length})</Accordion.Control>
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
                  {scopes.join(', ')}; revoked {revoked_at && <RelativeTime value={revoked_at} />}
                </Text>
              </div>
            ))}
            {hasNextPage && (
              <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
                Show older
              </Button>
            )}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
