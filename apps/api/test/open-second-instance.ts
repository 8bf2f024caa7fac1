import { openContext } from '@posthorn/platform';
import request from 'supertest';
import { closeApiContext, createApiContext } from '../src/create-context.js';
import { listen, stopListening } from '../src/server.js';
import type { TestApi } from './open-test-api.js';

/** A second API on the same databases. Close it before the first. */
export async function openSecondInstance({ ctx }: TestApi) {
  const second = createApiContext(openContext(ctx.config, 'second', ctx));
  const { server, url } = await listen(second);
  return {
    api: request(url),
    async close(): Promise<void> {
      await stopListening(server, 0);
      await closeApiContext(second);
    },
  };
}
