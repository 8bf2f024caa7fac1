import { createLogProgress } from '../../src/webhooks/delivery-reader.js';

const place = (position: number) => ({ position: String(position), eventId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' });

test('a place is reached only when every event before it is recorded', () => {
  const progress = createLogProgress(place(1));
  progress.add(['a', 'b'], place(2));
  progress.add(['c'], place(3));
  progress.add([], place(4));
  progress.count('c');
  progress.count('a');
  expect(progress.place()).toEqual(place(1));
  progress.count('b');
  expect(progress.place()).toEqual(place(4));
});

test('events that were not read from the log do not count', () => {
  const progress = createLogProgress(place(1));
  progress.add(['a'], place(2));
  progress.count('replayed');
  expect(progress.place()).toEqual(place(1));
});

test('an event counts once, even if it is recorded again', () => {
  const progress = createLogProgress(place(1));
  progress.add(['a', 'b'], place(2));
  progress.count('a');
  progress.count('a');
  expect(progress.place()).toEqual(place(1));
});
