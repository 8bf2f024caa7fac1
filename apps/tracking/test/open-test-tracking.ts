import { type Context, openContext } from '@posthorn/platform';
import type { Config } from '@posthorn/platform/config';
import type { Registry } from 'prom-client';
import { startTracking } from '../src/start-tracking.js';

export type TestTracking = {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly registry: Registry;
  /** Requests a path as the browser of a person does, and does not follow redirects. */
  request(
    path: string,
    options?: { method?: string; agent?: string; headers?: Record<string, string> },
  ): Promise<Response>;
  close(): Promise<void>;
};

/** Firefox */
export const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Starts a tracking listener on the databases of a test. */
export async function openTestTracking(
  { config, log }: Pick<Context, 'config' | 'log'>,
  changes: Partial<Config> = {},
): Promise<TestTracking> {
  const { port, registry, stop } = await startTracking(
    openContext({ ...config, trackingPort: 0, ...changes }, 'test', { log }),
  );
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    registry,
    request: (path, { method = 'GET', agent = BROWSER, headers = {} } = {}) =>
      fetch(`${url}${path}`, { method, redirect: 'manual', headers: { 'User-Agent': agent, ...headers } }),
    close: stop,
  };
}
