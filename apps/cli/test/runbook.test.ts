import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandNames, createProgram } from '../src/program.js';

test('every posthorn command in the runbook exists', async () => {
  const program = await createProgram(commandNames, async () => {});
  const runbook = readFileSync(join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');
  const typed = [...runbook.matchAll(/npx posthorn ([a-z]+)(?: ([a-z]+))?/g)];
  expect(typed.length).toBeGreaterThan(10);
  for (const [, noun, verb] of typed) {
    const command = program.commands.find((each) => each.name() === noun);
    expect([noun, command?.name()]).toEqual([noun, noun]);
    if (command && command.commands.length > 0) expect(command.commands.map((each) => each.name())).toContain(verb);
  }
});
