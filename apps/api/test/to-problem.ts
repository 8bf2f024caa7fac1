import type { Response } from 'supertest';

/** The problem of a response without its request id, so that two responses can be compared. */
export function toProblem({ status, body: { request_id, ...problem } }: Response): object {
  return { status, ...problem };
}
