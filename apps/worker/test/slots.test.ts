import { createSlots } from '../src/slots.js';

/** Asks for `count` slots as bells do. @returns how many have been granted so far */
function ask(slots: ReturnType<typeof createSlots>, count: number): () => Promise<number> {
  let granted = 0;
  for (let i = 0; i < count; i++) void slots.take().then((isGranted) => (granted += isGranted ? 1 : 0));
  return async () => {
    await new Promise(setImmediate);
    return granted;
  };
}

describe('slots', () => {
  test('leave a fifth to the sweep, however many bells wait', async () => {
    const slots = createSlots(10);
    const granted = ask(slots, 30);
    expect(await granted()).toBe(8);
    expect(slots.takeFree(10)).toBe(2);
    expect(slots.inUse()).toBe(10);
    expect(slots.takeFree(10)).toBe(0);
  });

  test('that are given back go to bells only as far as their share', async () => {
    const slots = createSlots(10);
    const granted = ask(slots, 30);
    slots.takeFree(10);
    slots.release(2);
    expect(await granted()).toBe(8);
    slots.release();
    expect(await granted()).toBe(9);
  });

  test('are taken by the sweep alone while no bell rings', () => {
    const slots = createSlots(10);
    expect(slots.takeFree(4)).toBe(4);
    expect(slots.takeFree(100)).toBe(6);
  });

  test('serve a bell even if there is only one', async () => {
    expect(await ask(createSlots(1), 2)()).toBe(1);
  });

  test('are refused to all who wait, and to all who come, once the worker stops', async () => {
    const slots = createSlots(1);
    await slots.take();
    const waiting = slots.take();
    slots.stop();
    slots.release();
    expect(await waiting).toBe(false);
    expect(await slots.take()).toBe(false);
    expect(slots.takeFree(1)).toBe(0);
  });
});
