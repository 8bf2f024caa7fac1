import { stopForked } from '../../packages/testing/jest/forked-process.mjs';

export default function stopBrowser() {
  return stopForked(globalThis.posthornTestBrowser);
}
