import { execFileSync } from 'node:child_process';
import { ROOT, read } from './files.js';

test('contract-schemas.json is what "npm run docs" generates from the contract', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const [command = '', file = ''] = scripts.schemas.split(' --out ');
  const generated = execFileSync('npx', ['--no-install', ...command.split(' ')], { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(read(file))).toEqual(JSON.parse(generated));
});
