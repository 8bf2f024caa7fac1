/**
 * Repeats a step in `count` loops at the same time. A loop ends when the step returns false. If a step throws, the other
 * loops finish the step that they are in, and the error is thrown after that.
 */
export async function repeatInParallel(count: number, step: () => boolean | Promise<boolean>): Promise<void> {
  let hasFailed = false;

  async function loop(): Promise<void> {
    try {
      while (!hasFailed && (await step()));
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  }

  const ends = await Promise.allSettled(Array.from({ length: count }, loop));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
