import { findFreePort } from '@posthorn/servers';
import { type RunningPackage, startIsolatedPackage } from '../rig/isolated-package.js';

export type HaProxy = Pick<RunningPackage, 'close'> & { readonly url: string };

/** How often HAProxy asks each API process whether it is ready. */
export const CHECK_MS = 500;

/**
 * Starts HAProxy in front of API processes. It retries nothing, so every request that a process drops fails.
 * @param ports of the processes
 */
export async function startHaProxy(ports: readonly number[]): Promise<HaProxy> {
  const port = await findFreePort();
  const servers = ports.map((each, index) => `  server api${index} 127.0.0.1:${each}`);
  const config = `
defaults
  mode http
  retries 0
  timeout connect 2s
  timeout client 30s
  timeout server 30s

frontend mail
  bind 127.0.0.1:${port}
  default_backend api

backend api
  option httpchk GET /readyz
  default-server check inter ${CHECK_MS}ms fall 1 rise 1
${servers.join('\n')}
`;
  const { close } = await startIsolatedPackage({
    packageName: 'haproxy',
    port,
    files: { '/etc/drill/haproxy.cfg': config },
    script: 'exec haproxy -db -f /etc/drill/haproxy.cfg',
  });
  return { url: `http://127.0.0.1:${port}`, close };
}
