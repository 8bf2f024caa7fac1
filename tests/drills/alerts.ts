import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@posthorn/servers';
import { expectThat } from '../rig/failures.js';
import { runIsolatedPackage } from '../rig/isolated-package.js';
import type { Scenario } from '../rig/scenario.js';
import { ROOT } from '../rig/servers.js';

const EMAILS = 50;
const FOLDER = '/drill';

let metricsPort = 0;

/**
 * The alert rules under Prometheus' own tool: it parses them, plays their unit tests, and checks the metrics that an API
 * process and a worker expose after some mail.
 */
export const alerts: Scenario = {
  id: 'alerts',
  fault: 'none: promtool checks and tests the alert rules, and the metrics of a service with mail',
  options: {
    async env() {
      metricsPort = await findFreePort();
      return { METRICS_PORT: String(metricsPort) };
    },
  },
  async run(rig) {
    await rig.sendMany(EMAILS);
    const workerUrl = `http://127.0.0.1:${metricsPort}`;
    while (!(await readMetrics(workerUrl)).includes(`posthorn_accept_to_sent_seconds_count ${EMAILS}\n`))
      await sleep(100);
    const output = await runIsolatedPackage({
      packageName: 'prometheus',
      files: {
        [`${FOLDER}/rules.yml`]: readRules('rules.yml'),
        [`${FOLDER}/rules.test.yml`]: readRules('rules.test.yml'),
        [`${FOLDER}/api.prom`]: ownMetrics(await readMetrics(rig.apis[0]?.url ?? '')),
        [`${FOLDER}/worker.prom`]: ownMetrics(await readMetrics(workerUrl)),
      },
      script: `
cd ${FOLDER}
promtool check rules rules.yml
promtool test rules rules.test.yml
for process in api worker; do promtool check metrics < $process.prom; done
`,
    });
    const [, rules] = /SUCCESS: (\d+) rules found/.exec(output) ?? [];
    return {
      figures: `promtool accepts ${rules ?? 'no'} rules, their tests and the metrics`,
      failures: expectThat(rules !== undefined, 'promtool found no rules'),
    };
  },
};

const readRules = (name: string) => readFileSync(join(ROOT, 'ops/prometheus', name), 'utf8');

async function readMetrics(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** The metrics of Node do not follow all of Prometheus' rules for names. */
function ownMetrics(text: string): string {
  return `${text
    .split('\n')
    .filter((line) => /^(# \w+ )?posthorn_/.test(line))
    .join('\n')}\n`;
}
