import { Text } from '@mantine/core';
import type { ApiError } from '../api/request';

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
