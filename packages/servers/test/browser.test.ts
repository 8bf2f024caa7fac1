import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from '../src/browser.js';
import { createTemporaryFolder } from './create-temporary-folder.js';

const folder = createTemporaryFolder();
const { PATH } = process.env;

afterEach(() => {
  process.env.PATH = PATH;
});

afterAll(() => folder.remove());

function install(name: string, script: string): string {
  const program = join(folder.path, name);
  writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return program;
}

test('a stub command that only explains how to install the browser is skipped', () => {
  install('chromium-headless-shell', 'echo "Command chromium requires the snap" >&2; exit 1');
  const browser = install('chromium', 'echo "Chromium 150.0.7871.100"');
  process.env.PATH = `${folder.path}:${PATH}`;
  expect(findBrowser()).toBe(browser);
});

test('Chromium without a user interface is preferred', () => {
  install('chromium', 'echo "Chromium 150.0.7871.100"');
  const browser = install('chromium-headless-shell', 'echo "Chromium 150.0.7871.100"');
  process.env.PATH = `${folder.path}:${PATH}`;
  expect(findBrowser()).toBe(browser);
});

test('another program with the same name is skipped', () => {
  install('chromium-headless-shell', 'echo "Chromium B.S.U. 0.9.16"');
  const browser = install('chromium', 'echo "Google Chrome 150.0.7871.100 unknown"');
  process.env.PATH = `${folder.path}:${PATH}`;
  expect(findBrowser()).toBe(browser);
});
