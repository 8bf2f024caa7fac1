import { openContext } from '@posthorn/domain';
import request from 'supertest';
import { closeApi, openApi } from '../src/open-api.js';
import { listen, stopListening } from '../src/server.js';
import type { TestApi } from './open-test-api.js';

/** Another API process on the same databases; to be closed first. */
export async function openSecondInstance({ ctx }: TestApi) {
  const twin = openApi(openContext(ctx.config, 'twin', { log: ctx.log, now: ctx.now }));
  const { server, url } = await listen(twin);
  return {
    api: request(url),
    async close(): Promise<void> {
      await stopListening(server, 0);
      await closeApi(twin);
    },
  };
}
