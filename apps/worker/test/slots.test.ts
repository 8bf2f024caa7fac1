import { Slots } from '../src/slots.js';

/** Rings `count` bells of one workspace. @returns how many were let in */
const ring = (slots: Slots, workspaceId: string, count: number) =>
  Array.from({ length: count }, () => slots.take(workspaceId)).filter(Boolean).length;

/** A round of the sweep that finds this mail. @returns for how much it had room */
function sweep(slots: Slots, found: readonly string[]): number {
  const free = slots.takeFree();
  slots.keep(free, found.slice(0, free.count), found.length >= free.count);
  return free.count;
}

async function isSettled(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol();
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

describe('slots', () => {
  test('leave a tenth to workspaces that hold none, however many bells of another ring', () => {
    const slots = new Slots(20);
    expect(ring(slots, 'a', 30)).toBe(18);
    expect(ring(slots, 'b', 5)).toBe(1);
    expect(ring(slots, 'c', 5)).toBe(1);
    expect(slots.inHand()).toBe(20);
    expect(ring(slots, 'd', 1)).toBe(0);
  });

  test('of the reserve are told to the sweep as such, and only when nothing else is free', () => {
    const slots = new Slots(20);
    expect(slots.takeFree()).toEqual({ count: 18, isReserve: false });
    expect(slots.takeFree()).toEqual({ count: 2, isReserve: true });
    expect(slots.takeFree()).toEqual({ count: 0, isReserve: true });
  });

  test('go to the sweep alone while mail waits, but for a workspace that holds none', () => {
    const slots = new Slots(20);
    ring(slots, 'a', 19);
    slots.release('a');
    expect(ring(slots, 'a', 1)).toBe(0);
    expect(ring(slots, 'b', 1)).toBe(1);
    slots.release('a');
    expect(sweep(slots, [])).toBe(1);
    expect(ring(slots, 'a', 1)).toBe(1);
  });

  test('that the sweep needs not are free again', () => {
    const slots = new Slots(20);
    sweep(slots, ['a', 'a', 'b']);
    expect(slots.inHand()).toBe(3);
    expect(slots.holders()).toEqual(['a', 'b']);
    slots.release('a');
    slots.release('b');
    expect(slots.holders()).toEqual(['a']);
  });

  test('are given on while outcomes are recorded, as many as there are slots', async () => {
    const slots = new Slots(2);
    slots.take('a');
    slots.take('b');
    const recorded = [slots.releaseToRecord('a')];
    expect(slots.take('c')).toBe(true);
    recorded.push(slots.releaseToRecord('b'));
    expect(slots.holders()).toEqual(['c']);
    recorded.push(slots.releaseToRecord('c'));
    expect(slots.holders()).toEqual(['c']);
    expect(slots.inHand()).toBe(3);
    const emptiness = slots.empty();
    for (const each of recorded) {
      expect(await isSettled(emptiness)).toBe(false);
      each();
    }
    expect(slots.holders()).toEqual([]);
    expect(await isSettled(emptiness)).toBe(true);
  });

  test('call the sweep when one comes free for mail that found none, and not otherwise', async () => {
    const slots = new Slots(2);
    slots.take('a');
    const room = slots.roomForMore();
    expect(await isSettled(room)).toBe(false);
    slots.release('a');
    expect(await isSettled(room)).toBe(false);
    ring(slots, 'a', 2);
    expect(await isSettled(room)).toBe(false);
    slots.release('a');
    expect(await isSettled(room)).toBe(true);
  });

  test('call the sweep again when a bell was turned away while it looked', async () => {
    const slots = new Slots(4);
    const free = slots.takeFree();
    expect(slots.take('a')).toBe(false);
    slots.keep(free, [], false);
    expect(await isSettled(slots.roomForMore())).toBe(true);
  });

  test('of the reserve are not given to a bell while nobody knows for whom the sweep takes the others', async () => {
    const slots = new Slots(20);
    const free = slots.takeFree();
    expect(slots.take('a')).toBe(false);
    expect(slots.take('b')).toBe(false);
    slots.keep(free, Array(18).fill('a'), true);
    expect(await isSettled(slots.roomForMore())).toBe(true);
    expect(slots.takeFree()).toEqual({ count: 2, isReserve: true });
  });

  test('serve whoever comes first where there is only one', () => {
    const slots = new Slots(1);
    expect([slots.take('a'), slots.take('b')]).toEqual([true, false]);
  });

  test('are refused to all once the worker stops, which is empty when the last is given back', async () => {
    const slots = new Slots(2);
    slots.take('a');
    slots.stop();
    expect(slots.take('b')).toBe(false);
    expect(slots.takeFree().count).toBe(0);
    const empty = slots.empty();
    expect(await isSettled(empty)).toBe(false);
    slots.release('a');
    expect(await isSettled(empty)).toBe(true);
  });
});
