import { join } from 'node:path';
import { startThread, type Thread, ThreadStoppedError } from '../src/index.js';

let thread: Thread<string, string>;

function open(maxJobMs?: number): void {
  thread = startThread(join(import.meta.dirname, 'slow-thread'), { maxHeapMb: 64, ...(maxJobMs && { maxJobMs }) });
}

afterEach(() => thread.close());

test('runs jobs in their order', async () => {
  open();
  expect(await Promise.all(['one', 'two', 'three'].map((job) => thread.run(job)))).toEqual(['one', 'two', 'three']);
});

test('passes on what a job throws, and runs the next one', async () => {
  open();
  await expect(thread.run('throw')).rejects.toThrow('The job failed');
  expect(await thread.run('next')).toBe('next');
});

test('stops a job that takes too long, and runs the next one in a new thread', async () => {
  open(5_000);
  expect(await thread.run('first')).toBe('first');
  await expect(thread.run('forever')).rejects.toThrow(ThreadStoppedError);
  expect(await thread.run('next')).toBe('next');
});
