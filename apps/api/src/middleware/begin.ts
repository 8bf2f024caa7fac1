import { newId } from '@posthorn/domain';
import type { Response } from 'express';

/** Every answer can be named: by support, in logs, in problem details. Every answer is timed. */
export function begin(response: Response): void {
  response.locals = { requestId: newId(), startedAt: performance.now(), route: undefined };
}
