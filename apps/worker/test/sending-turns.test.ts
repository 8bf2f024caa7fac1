import { createSendingTurns } from '../src/delivering/sending-turns.js';

/** Begins a turn for each workspace, in this order. `begun` lists those that have one. */
function beginAll({ size, reserved = 0 }: { size: number; reserved?: number }, workspaceIds: readonly string[]) {
  const turns = createSendingTurns(size, reserved);
  const begun: Array<{ workspaceId: string; end: () => void }> = [];
  for (const workspaceId of workspaceIds) void turns.begin(workspaceId).then((end) => begun.push({ workspaceId, end }));
  const listBegun = async () => {
    await new Promise(setImmediate);
    return begun.map(({ workspaceId }) => workspaceId);
  };
  return { begun, listBegun };
}

test('as many emails are sent at a time as there are turns', async () => {
  const { begun, listBegun } = beginAll({ size: 2 }, ['a', 'a', 'a', 'a']);
  expect(await listBegun()).toHaveLength(2);
  begun[0]?.end();
  expect(await listBegun()).toHaveLength(3);
  begun[1]?.end();
  begun[2]?.end();
  expect(await listBegun()).toHaveLength(4);
});

test('the next turn goes to a workspace that is sending nothing, then to the email that waits longest', async () => {
  const { begun, listBegun } = beginAll({ size: 3 }, ['a', 'a', 'a', 'a', 'b', 'c', 'b']);
  expect(await listBegun()).toEqual(['a', 'a', 'a']);
  begun[0]?.end();
  expect(await listBegun()).toEqual(['a', 'a', 'a', 'b']);
  begun[1]?.end();
  expect(await listBegun()).toEqual(['a', 'a', 'a', 'b', 'c']);
  begun[3]?.end();
  expect(await listBegun()).toEqual(['a', 'a', 'a', 'b', 'c', 'b']);
  begun[2]?.end();
  expect(await listBegun()).toEqual(['a', 'a', 'a', 'b', 'c', 'b', 'a']);
});

test('the last turns are only for workspaces that are sending nothing', async () => {
  const { begun, listBegun } = beginAll({ size: 3, reserved: 1 }, ['a', 'a', 'a', 'b', 'c']);
  expect(await listBegun()).toEqual(['a', 'a', 'b']);
  begun[0]?.end();
  expect(await listBegun()).toEqual(['a', 'a', 'b', 'c']);
  begun[2]?.end();
  expect(await listBegun()).toEqual(['a', 'a', 'b', 'c']);
  begun[3]?.end();
  expect(await listBegun()).toEqual(['a', 'a', 'b', 'c', 'a']);
});
