/** Where the time of the current test file went, in milliseconds. `npm run test:times` prints it. */
export type FileTimes = {
  loading: number;
  opening: number;
  /** CPU time of the test's process. It waits for other processes for the rest of the time. */
  working: number;
};

let opening = 0;

/** Runs `open`, and counts the time that it takes. */
export async function countOpening<Result>(open: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  try {
    return await open();
  } finally {
    opening += performance.now() - start;
  }
}

/** Measures a file. The times of things that are opened at the same time are added up. */
export function startFileTimes(): { loaded(): void; end(): FileTimes } {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  opening = 0;
  let loading = 0;
  return {
    loaded() {
      loading = performance.now() - start;
    },
    end() {
      const { user, system } = process.cpuUsage(cpu);
      return { loading, opening, working: (user + system) / 1_000 };
    },
  };
}
