import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forkProgram, listS3Objects } from '@posthorn/testing';

/** The secret must be escaped in a URL. */
const CREDENTIALS = { accessKeyId: 'RIG', secretAccessKey: 's/e+c=', region: 'eu-central-1' };

/** The object store of a rig, in a process of its own that can be killed. */
export type FaultyS3 = {
  readonly blobStore: string;
  /** kill -9, and a new process on the same port after `downMs`. Objects that it confirmed are kept. */
  crash(downMs: number): Promise<void>;
  /** The keys of all objects. */
  listObjects(): Promise<string[]>;
  close(): Promise<void>;
};

export async function startFaultyS3(folder: string): Promise<FaultyS3> {
  await mkdir(folder, { recursive: true });
  let { child, port, blobStore } = await start(folder, 0);

  async function kill(): Promise<void> {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  return {
    blobStore,
    async crash(downMs) {
      await kill();
      await sleep(downMs);
      ({ child, port, blobStore } = await start(folder, port));
    },
    listObjects: () => listS3Objects(folder),
    close: kill,
  };
}

type Started = { readonly child: ChildProcess; readonly port: number; readonly blobStore: string };

async function start(folder: string, port: number): Promise<Started> {
  const program = forkProgram(join(import.meta.dirname, 's3-process.ts'), [folder, String(port)], {
    S3: JSON.stringify(CREDENTIALS),
  });
  return { child: program.process, ...(await program.next<Omit<Started, 'child'>>()) };
}
