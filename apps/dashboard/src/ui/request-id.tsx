import { Text } from '@mantine/core';
import type { ApiError } from '../api/request';

/** What the API's log knows an answer by; nothing where there was no answer. */
export function RequestId({ error }: { readonly error: ApiError }) {
  const { request_id: requestId } = error.problem;
  if (!requestId) return null;
  return (
    <Text size="xs" mt="xs" className="breakable">
      Request ID: {requestId}
    </Text>
  );
}
