import { createDataFolder, lockDataFolder } from '../src/data-folder.js';

/**
 * Takes the path of a checkout as its argument. Each message says when to lock the data folder of that checkout, or
 * tells the process to unlock it if the time is null. Replies with the error message, or null on success.
 */
const folder = createDataFolder(String(process.argv[2]));
let unlock = () => {};

process.on('message', ({ at }: { at: number | null }) => {
  try {
    if (at === null) unlock();
    else unlock = lockAt(at);
    process.send?.({ error: null });
  } catch (error) {
    process.send?.({ error: (error as Error).message });
  }
});

function lockAt(at: number): () => void {
  while (Date.now() < at); // A busy loop, so both processes start at the same time.
  return lockDataFolder(folder);
}
