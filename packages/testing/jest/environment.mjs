import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * Tests run in Node's own global scope, where the product runs, so modules can be loaded once per Jest worker. Jest's
 * default environment gives each file a scope of its own, and loads everything again in it.
 */
export default class SharedEnvironment {
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  /** Jest needs an object to change. Tests use `globalThis`, to which run-test-file.mjs adds Jest's functions. */
  global = {};

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
  }

  exportConditions() {
    return ['node', 'import'];
  }

  getVmContext() {
    return null;
  }
}
