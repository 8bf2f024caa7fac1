import TestSequencer from '@jest/test-sequencer';

/** Small files that take long, because they start programs. At the end of a run, the other cores would wait for them. */
const SLOW = /\/(code-samples|start-all|redis\/tls)\.test\.ts$/;

/** In a fresh clone, Jest does not know how long files take, and starts with the largest ones. */
export default class SlowestFirst extends TestSequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }) => SLOW.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
