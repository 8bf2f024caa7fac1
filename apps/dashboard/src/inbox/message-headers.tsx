import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { messageQuery } from '../message/queries';
import { Fact, Facts } from '../ui/facts';
import { Loaded } from '../ui/loaded';

/** All headers as they are in the message. @param path where the API serves the message */
export function MessageHeaders({ path }: { readonly path: string }) {
  const query = useQuery(messageQuery(path));
  return (
    <Loaded query={query} skeleton={<HeadersSkeleton />}>
      {({ headers }) => (
        <Facts columns={1}>
          {headers.map(({ name, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a header may occur twice, and the list never changes
            <Fact key={index} name={name}>
              {value}
            </Fact>
          ))}
        </Facts>
      )}
    </Loaded>
  );
}

/** A typical message has a dozen headers, each with its name above its value. */
function HeadersSkeleton() {
  return (
    <Stack gap="md">
      {Array.from({ length: 12 }, (_, header) => `header-${header}`).map((key) => (
        <Skeleton key={key} height={44} />
      ))}
    </Stack>
  );
}
