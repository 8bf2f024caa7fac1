import asyncHooks from 'node:async_hooks';
import { createRequire, register } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { register as registerTypeScript } from 'tsx/esm/api';

register('./source-condition.mjs', import.meta.url);
registerTypeScript();
process.setSourceMapsEnabled(true);
// Set after tsx is registered, so that tsx keeps what it compiles in the temporary folder of the system.
process.env.TMPDIR = process.env.TEST_FOLDER;

const require = createRequire(import.meta.url);
const CIRCUS = join(dirname(require.resolve('jest-circus/package.json')), 'build/jestAdapterInit.js');

const { endFile } = await import('../src/file-end.js');
const { startFileTimes } = await import('../src/file-times.js');
const { endRun } = await import('../src/test-run.js');

/** How Jest tells its workers to end (`CHILD_MESSAGE_END` of jest-worker). */
const END = 2;

// A worker's servers and the browser end by themselves, so it need not close its connections to them.
process.on('message', ([type]) => type === END && process.exit());
// Without workers, Jest itself ends only after everything is closed. See stop-test-servers.mjs.
globalThis.posthornEndRun = endRun;

/** Jest keeps the running test here. All files share it, because each one that is in use makes every promise slower. */
const runningTest = new asyncHooks.AsyncLocalStorage();

let runs = 0;

/**
 * Runs one test file as Jest's default runner does, except that Node itself loads the file and what it imports.
 * Everything but the file itself stays loaded for the next file.
 */
export default async function runTestFile(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  const times = startFileTimes();
  const { initialize, runAndTransformResultsToJestFormat } = loadCircus();
  const { globals } = await initialize({
    config,
    environment,
    globalConfig,
    localRequire: require,
    parentProcess: process,
    runtime,
    sendMessageToJest,
    setGlobalsForRuntime: (all) => Object.assign(globalThis, all),
    testPath,
  });
  const { jest } = runtime.requireModuleOrMock(testPath, '@jest/globals');
  const { console } = globalThis;
  Object.assign(globalThis, globals, { jest, console: environment.global.console });
  // Jest would map stack traces with the source maps of its transforms. There are none: Node itself maps them.
  Error.prepareStackTrace = undefined;
  const setupAfterEnvStart = Date.now();
  try {
    await import(`${pathToFileURL(testPath)}?run=${++runs}`);
    times.loaded();
    const setupAfterEnvPerfStats = { setupAfterEnvStart, setupAfterEnvEnd: Date.now() };
    const results = await runAndTransformResultsToJestFormat({
      config,
      globalConfig,
      setupAfterEnvPerfStats,
      testPath,
    });
    await endFile().catch((error) => addFailure(results, error));
    const fileTimes = times.end();
    for (const result of results.testResults) result.fileTimes = fileTimes;
    return results;
  } finally {
    globalThis.console = console;
  }
}

/** Loads the part of Jest that keeps the tests of a file, so each file starts with none. */
function loadCircus() {
  delete require.cache[CIRCUS];
  delete globalThis[Symbol.for('EVENT_HANDLERS')];
  for (const symbol of Object.getOwnPropertySymbols(globalThis))
    if (symbol.description === 'JEST_STATE_SYMBOL') delete globalThis[symbol];
  // Since Node 22, the property has only a getter, so it cannot be assigned to.
  const original = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage');
  const value = function SharedStorage() {
    return runningTest;
  };
  Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { configurable: true, enumerable: true, value });
  try {
    return require(CIRCUS);
  } finally {
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', original);
  }
}

/** Makes a file fail although its tests may have passed. */
function addFailure(results, { message, stack }) {
  results.testExecError = { message, stack };
  results.failureMessage = `${results.failureMessage ?? ''}\n${message}`;
}
