import { Button, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isApiError } from '../api/request';
import { ProblemAlert } from './problem-alert';

type Props<Data> = {
  readonly query: UseQueryResult<Data>;
  /** Should be as tall as the content, so that the layout does not jump. Defaults to a few lines. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
};

/** Shows a query's data or error, and a skeleton until then. Data stays on screen when a refetch fails. */
export function Loaded<Data>({ query, skeleton, children }: Props<Data>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return <div aria-busy="true">{skeleton ?? <Lines />}</div>;
  return (
    <Stack align="flex-start">
      <ProblemAlert error={query.error} />
      {!isApiError(query.error, 'not_found') && (
        <Button variant="default" loading={query.isFetching} onClick={() => query.refetch()}>
          Try again
        </Button>
      )}
    </Stack>
  );
}

function Lines() {
  return (
    <Stack gap="sm">
      {[90, 70, 80, 60].map((width) => (
        <Skeleton key={width} height={20} width={`${width}%`} />
      ))}
    </Stack>
  );
}
