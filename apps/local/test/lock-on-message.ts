import { claimFolder } from '../src/claim-folder.js';
import { openDataFolder } from '../src/data-folder.js';

/**
 * A process that claims the checkout it is given at the moment it is told; told no moment, it gives it
 * free. It answers null for a success, and what went wrong.
 */
const folder = openDataFolder(String(process.argv[2]));
let release = () => {};

process.on('message', ({ at }: { at: number | null }) => {
  try {
    if (at === null) release();
    else release = claimAt(at);
    process.send?.({ fault: null });
  } catch (error) {
    process.send?.({ fault: (error as Error).message });
  }
});

function claimAt(at: number): () => void {
  while (Date.now() < at); // Awake, so that several begin together.
  return claimFolder(folder);
}
