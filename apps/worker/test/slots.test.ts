import { createSlots, type Slots } from '../src/claiming/slots.js';

/** Delivery jobs ask for `count` slots for one workspace. @returns how many they get */
const takeMany = (slots: Slots, workspaceId: string, count: number) =>
  Array.from({ length: count }, () => slots.take(workspaceId)).filter(Boolean).length;

/** A round of the sweep that finds emails of these workspaces. @returns how many slots it took */
function sweep(slots: Slots, found: readonly string[]): number {
  const free = slots.takeAll();
  slots.assign(free, found.slice(0, free.count), found.length >= free.count);
  return free.count;
}

async function isSettled(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol();
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

describe('createSlots', () => {
  test('reserves a tenth for workspaces without a slot, however many emails another workspace has', () => {
    const slots = createSlots(20);
    expect(takeMany(slots, 'a', 30)).toBe(18);
    expect(takeMany(slots, 'b', 5)).toBe(1);
    expect(takeMany(slots, 'c', 5)).toBe(1);
    expect(slots.inHand()).toBe(20);
    expect(takeMany(slots, 'd', 1)).toBe(0);
  });

  test('gives the sweep reserved slots only when no other slot is free, and marks them as reserved', () => {
    const slots = createSlots(20);
    expect(slots.takeAll()).toEqual({ count: 18, isReserve: false });
    expect(slots.takeAll()).toEqual({ count: 2, isReserve: true });
    expect(slots.takeAll()).toEqual({ count: 0, isReserve: true });
  });

  test('while emails wait, gives slots only to the sweep and to workspaces without a slot', () => {
    const slots = createSlots(20);
    takeMany(slots, 'a', 19);
    slots.release('a');
    expect(takeMany(slots, 'a', 1)).toBe(0);
    expect(takeMany(slots, 'b', 1)).toBe(1);
    slots.release('a');
    expect(sweep(slots, [])).toBe(1);
    expect(takeMany(slots, 'a', 1)).toBe(1);
  });

  test('takes back the slots that the sweep does not need', () => {
    const slots = createSlots(20);
    sweep(slots, ['a', 'a', 'b']);
    expect(slots.inHand()).toBe(3);
    expect(slots.activeWorkspaces()).toEqual(['a', 'b']);
    slots.release('a');
    slots.release('b');
    expect(slots.activeWorkspaces()).toEqual(['a']);
  });

  test('releases slots while outcomes are being recorded, up to one outcome per slot', async () => {
    const slots = createSlots(2);
    slots.take('a');
    slots.take('b');
    const recorded = [slots.releaseToRecord('a')];
    expect(slots.take('c')).toBe(true);
    recorded.push(slots.releaseToRecord('b'));
    expect(slots.activeWorkspaces()).toEqual(['c']);
    recorded.push(slots.releaseToRecord('c'));
    expect(slots.activeWorkspaces()).toEqual(['c']);
    expect(slots.inHand()).toBe(3);
    const empty = slots.untilEmpty();
    for (const markRecorded of recorded) {
      expect(await isSettled(empty)).toBe(false);
      markRecorded();
    }
    expect(slots.activeWorkspaces()).toEqual([]);
    expect(await isSettled(empty)).toBe(true);
  });

  test('wakes the sweep only when a slot becomes free and emails are waiting for it', async () => {
    const slots = createSlots(2);
    slots.take('a');
    const slotFree = slots.untilSlotForBacklog();
    expect(await isSettled(slotFree)).toBe(false);
    slots.release('a');
    expect(await isSettled(slotFree)).toBe(false);
    takeMany(slots, 'a', 2);
    expect(await isSettled(slotFree)).toBe(false);
    slots.release('a');
    expect(await isSettled(slotFree)).toBe(true);
  });

  test('wakes the sweep again when a delivery job was refused a slot during its query', async () => {
    const slots = createSlots(4);
    const free = slots.takeAll();
    expect(slots.take('a')).toBe(false);
    slots.assign(free, [], false);
    expect(await isSettled(slots.untilSlotForBacklog())).toBe(true);
  });

  test('refuses reserved slots to delivery jobs until the sweep has assigned the others', async () => {
    const slots = createSlots(20);
    const free = slots.takeAll();
    expect(slots.take('a')).toBe(false);
    expect(slots.take('b')).toBe(false);
    slots.assign(free, Array(18).fill('a'), true);
    expect(await isSettled(slots.untilSlotForBacklog())).toBe(true);
    expect(slots.takeAll()).toEqual({ count: 2, isReserve: true });
  });

  test('gives the only slot to the first workspace that asks', () => {
    const slots = createSlots(1);
    expect([slots.take('a'), slots.take('b')]).toEqual([true, false]);
  });

  test('gives out no slots after a stop, and is empty when the last one is released', async () => {
    const slots = createSlots(2);
    slots.take('a');
    slots.stop();
    expect(slots.take('b')).toBe(false);
    expect(slots.takeAll().count).toBe(0);
    const empty = slots.untilEmpty();
    expect(await isSettled(empty)).toBe(false);
    slots.release('a');
    expect(await isSettled(empty)).toBe(true);
  });
});

describe('claiming ahead', () => {
  /** Sends `perSecond` emails a second for 100 ms. */
  function openSlots(perSecond: number) {
    let ms = 0;
    const slots = createSlots(20, () => ms);
    for (; ms < 100; ms += 1_000 / perSecond) {
      slots.take('a');
      slots.releaseToRecord('a')();
    }
    return slots;
  }

  test.each([
    [10, 18],
    [100, 18 + 5],
    [1_000, 18 + 20],
    [10_000, 18 + 20],
  ])('at %d emails a second, a workspace gets %d slots of 20', (perSecond, count) => {
    expect(openSlots(perSecond).takeAll()).toEqual({ count, isReserve: false });
  });

  test('holds at most twice as many emails as may be sent at a time', () => {
    const slots = openSlots(1_000);
    for (let taken = 0; taken < 10; taken += 1) {
      slots.take('a');
      slots.releaseToRecord('a');
    }
    expect(takeMany(slots, 'a', 100)).toBe(28);
    expect(slots.take('b')).toBe(true);
    expect(slots.inHand()).toBe(39);
  });

  test('ends when emails are sent more slowly', () => {
    let ms = 0;
    const slots = createSlots(20, () => ms);
    takeMany(slots, 'a', 18);
    for (let ended = 0; ended < 18; ended += 1) slots.releaseToRecord('a')();
    ms += 100;
    expect(takeMany(slots, 'a', 100)).toBe(27);
    ms += 10_000;
    for (let ended = 0; ended < 9; ended += 1) slots.releaseToRecord('a')();
    expect(slots.take('a')).toBe(false);
  });

  test('leaves the reserved slots when the mail server stalls', () => {
    let ms = 0;
    const slots = createSlots(20, () => ms);
    takeMany(slots, 'a', 18);
    for (let ended = 0; ended < 18; ended += 1) slots.releaseToRecord('a')();
    ms += 40;
    takeMany(slots, 'a', 18);
    for (let ended = 0; ended < 18; ended += 1) slots.releaseToRecord('a')();
    ms += 60;
    expect(takeMany(slots, 'a', 100)).toBe(36);
    ms += 10_000;
    expect([slots.take('b'), slots.take('c'), slots.take('d')]).toEqual([true, true, false]);
  });

  test('goes on when outcomes are recorded', async () => {
    const slots = openSlots(1_000);
    expect(sweep(slots, Array(38).fill('a'))).toBe(38);
    const recorded = Array.from({ length: 20 }, () => slots.releaseToRecord('a'));
    let isDue = false;
    const due = slots.untilSlotForBacklog().then(() => {
      isDue = true;
    });
    await Promise.resolve();
    expect(isDue).toBe(false);
    for (const end of recorded) end();
    await due;
  });

  test('waits until several slots are free', async () => {
    const slots = openSlots(1_000);
    expect(sweep(slots, Array(38).fill('a'))).toBe(38);
    let isDue = false;
    const due = slots.untilSlotForBacklog().then(() => {
      isDue = true;
    });
    for (let ended = 0; ended < 9; ended += 1) slots.release('a');
    await Promise.resolve();
    expect(isDue).toBe(false);
    slots.release('a');
    await due;
  });
});
