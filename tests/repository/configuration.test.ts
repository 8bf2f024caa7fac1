import { readEnv, toConfig } from '@posthorn/platform/config';
import { read } from './files.js';
import { writeConfigurationPage, writeEnvExample } from './settings-docs.js';

const settings = Object.keys(readEnv({})).sort();

/** The config of a worker with the required settings and these extra ones. */
function configWith(extra: NodeJS.ProcessEnv) {
  const required = { DATABASE_URL: 'postgres://host/db', REDIS_URL: 'redis://host', SMTP_URL: 'smtp://host' };
  return toConfig(readEnv({ ...required, ...extra }), 'worker');
}

test('npm run settings has been run since the table of settings was changed', () => {
  expect(writeConfigurationPage(read('docs/configuration.md'))).toBe(read('docs/configuration.md'));
  expect(writeEnvExample()).toBe(read('.env.example'));
});

describe('docs/configuration.md', () => {
  const rows = [...read('docs/configuration.md').matchAll(/^\| `([A-Z_]+)` \| (.+?) \| .+ \|$/gm)].map(
    ([, name = '', fallback = '']) => [name, fallback] as const,
  );

  test('has one row for every setting and no other rows', () => {
    expect(rows.map(([name]) => name).sort()).toEqual(settings);
  });

  test.each(rows.filter(([, fallback]) => fallback.startsWith('`')))('shows the default of %s', (name, fallback) => {
    expect(configWith({ [name]: fallback.replaceAll('`', '') })).toEqual(configWith({}));
  });

  test('lists every option of SMTP_URL and no others', () => {
    const taken = read('packages/platform/src/config/relay-url.ts').matchAll(
      /(?:option|searchParams\.get)\('([\w.]+)'/g,
    );
    const listed = [...read('docs/configuration.md').matchAll(/^\| `([a-z][\w.]*)` \|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...taken].map(([, name]) => name).sort());
  });
});

describe('.env.example', () => {
  const lines = [...read('.env.example').matchAll(/^(#?)([A-Z_]+)=(.*)$/gm)];

  test('has a line for every setting and every variable that only Docker Compose reads', () => {
    const composed = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    expect(lines.map(([, , name]) => name).sort()).toEqual([...new Set([...settings, ...composed])].sort());
  });
});
