import { assertOk, reach } from './request';

/** @throws ApiError for any response other than a 2xx */
export async function getBytes(path: string): Promise<ArrayBuffer> {
  const response = await reach(path);
  await assertOk(response);
  return response.arrayBuffer();
}
