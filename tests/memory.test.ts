import { runScript } from './processes.js';

test('a process collects its garbage long before that is four times what it needs', async () => {
  const script = `
    import { runProcess } from '@posthorn/domain';
    await runProcess('test', async () => {
      const inUse = [];
      for (let each = 0; each < 500_000; each += 1) inUse[each] = { each, of: [each] };
      const { heapUsed } = process.memoryUsage();
      let most = 0;
      for (let each = 0; each < 6_000_000; each += 1) {
        inUse[each % inUse.length] = { each, of: [each] };
        if (each % 5_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
      }
      process.stdout.write(String(most / heapUsed), () => process.exit(0));
      return async () => {};
    });`;
  const times = Number((await runScript(script)).text);
  expect(times).toBeGreaterThan(1);
  // About 1.7; 4 where V8 is left to itself.
  expect(times).toBeLessThan(2.5);
});
