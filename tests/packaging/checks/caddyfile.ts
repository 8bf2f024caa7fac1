import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runIsolatedPackage } from '../../rig/isolated-package.js';
import { ROOT } from '../../rig/servers.js';
import type { Check } from '../check.js';

export const caddyfile: Check = {
  id: 'caddyfile',
  title: 'Caddy accepts the configuration of the profile "tls", and finds it well formatted',
  async run() {
    const output = await runIsolatedPackage({
      packageName: 'caddy',
      files: { '/etc/posthorn/Caddyfile': readFileSync(join(ROOT, 'deploy/compose/Caddyfile'), 'utf8') },
      script: `
export HOME=/root PUBLIC_URL=https://mail.example.com
caddy version
caddy validate --adapter caddyfile --config /etc/posthorn/Caddyfile 2>&1
caddy fmt /etc/posthorn/Caddyfile | diff - /etc/posthorn/Caddyfile
`,
    });
    if (!output.includes('Valid configuration')) throw new Error(output);
    return `Caddy ${/^v?(2\S+)/m.exec(output)?.[1]}`;
  },
};
