import { openTurns } from '../../src/load-limits/open-turns.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Starts requests that end when they are told to. */
function startRequests(names: readonly string[], workspaceOf: (name: string) => string) {
  const turns = openTurns(4);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  for (const name of names) {
    void turns.begin(workspaceOf(name)).then((turn) => {
      started.push(name);
      ends.set(name, () => turn.end());
    });
  }
  const startedSoFar = async () => {
    await settle();
    return [...started];
  };
  return { started: startedSoFar, end: (name: string) => ends.get(name)?.() };
}

describe('turns', () => {
  test('of a workspace are given to four requests at a time, in order', async () => {
    const { started, end } = startRequests(['1', '2', '3', '4', '5', '6'], () => 'a');
    expect(await started()).toEqual(['1', '2', '3', '4']);
    end('3');
    expect(await started()).toEqual(['1', '2', '3', '4', '5']);
    end('1');
    end('2');
    expect(await started()).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  test('of one workspace do not depend on those of another', async () => {
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'];
    const { started } = startRequests(names, ([workspace = '']) => workspace);
    expect(await started()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']);
  });

  test('are passed on only once, however often end() is called', async () => {
    const { started, end } = startRequests(['1', '2', '3', '4', '5', '6'], () => 'a');
    await started();
    end('1');
    end('1');
    expect(await started()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('are passed on after the pause that was passed to end()', async () => {
    const turns = openTurns(1);
    const order: string[] = [];
    const first = await turns.begin('a');
    const second = turns.begin('a').then(() => order.push('second'));
    first.end(20);
    setTimeout(() => order.push('timer'), 10);
    await second;
    expect(order).toEqual(['timer', 'second']);
  });
});
