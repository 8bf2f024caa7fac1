const EVERY_MS = 10;

/** Waits until a condition holds. The test's own time limit ends a wait that is in vain. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}
