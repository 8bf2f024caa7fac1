import { runScript } from './processes.js';

test('a process collects garbage well before its heap is four times as large as the live data', async () => {
  const script = `
    import { runProcess } from '@posthorn/domain';
    await runProcess('test', async () => {
      const live = [];
      for (let n = 0; n < 500_000; n += 1) live[n] = { n, of: [n] };
      const { heapUsed } = process.memoryUsage();
      let peak = 0;
      for (let n = 0; n < 6_000_000; n += 1) {
        live[n % live.length] = { n, of: [n] };
        if (n % 5_000 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed);
      }
      process.stdout.write(String(peak / heapUsed), () => process.exit(0));
      return async () => {};
    });`;
  const ratio = Number((await runScript(script)).text);
  expect(ratio).toBeGreaterThan(1);
  // The ratio is about 1.7. With V8's default settings, it would be 4.
  expect(ratio).toBeLessThan(2.5);
});
