import { Alert, Button, List, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError, isApiError } from '../api/request';
import { IconAlertTriangle } from './icons';

export type LoadedProps<Data> = {
  readonly query: UseQueryResult<Data>;
  /** Should be as tall as the content, so that the layout does not jump. Defaults to a few lines. */
  readonly skeleton?: ReactNode;
  readonly children: (data: Data) => ReactNode;
};

/** Shows a query's data or error, and a skeleton until then. Data stays on screen when a refetch fails. */
export function Loaded<Data>({ query, skeleton, children }: LoadedProps<Data>) {
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

/** Shows the API's error with the request ID, which also appears in the API's log. */
export function ProblemAlert({ error }: { readonly error: Error | null }) {
  if (error === null) return null;
  const problem = error instanceof ApiError ? error.problem : undefined;
  const { title = 'Something went wrong', errors = [] } = problem ?? {};
  return (
    <Alert role="alert" color="red" title={title} icon={<IconAlertTriangle />} w="100%">
      {/* The detail repeats the first error. */}
      {errors.length < 2 ? (
        error.message
      ) : (
        <List size="sm">
          {errors.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`} className="breakable">
              {field && <b>{field}: </b>}
              {message}
            </List.Item>
          ))}
        </List>
      )}
      {error instanceof ApiError && <RequestId error={error} />}
    </Alert>
  );
}

/** The ID to look up in the API's log. Empty when the API did not respond. */
export function RequestId({ error }: { readonly error: ApiError }) {
  const { request_id: requestId } = error.problem;
  if (!requestId) return null;
  return (
    <Text size="xs" mt="xs" className="breakable">
      Request ID: {requestId}
    </Text>
  );
}
