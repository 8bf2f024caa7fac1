import { ApiError, toProblem, unreachable } from './request';

/** @throws ApiError for any response other than a 2xx */
export async function getBytes(path: string): Promise<ArrayBuffer> {
  const response = await fetch(path).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw new ApiError(toProblem(response, await response.text()));
  return response.arrayBuffer();
}
