import { execFile } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectDatabase } from '@posthorn/platform/postgres';

const exec = promisify(execFile);

export type BaseBackup = {
  /** Puts the backup in the place of the data of the stopped server. */
  restore(): Promise<void>;
};

/**
 * Copies the files of a running server between pg_backup_start and pg_backup_stop, as pg_basebackup does. The npm package
 * with Postgres has neither pg_basebackup nor pg_dump. A base backup is also the harder case: the restored database looks
 * exactly like the one before, so only the operator knows that there was a restore.
 */
export async function takeBaseBackup(url: string, dataDir: string, folder: string): Promise<BaseBackup> {
  const cluster = join(dataDir, 'cluster');
  // Both functions must be called in the same session.
  const db = connectDatabase(url, { poolSize: 1, silenceMs: 0 });
  rmSync(folder, { recursive: true, force: true });
  try {
    await db.raw("select pg_backup_start('drill', true)");
    // Files may disappear while they are copied. The write-ahead log restores what that would break.
    await exec('cp', ['-a', cluster, folder]).catch(() => {});
    const { rows } = await db.raw('select labelfile from pg_backup_stop(false)');
    rmSync(join(folder, 'pg_wal'), { recursive: true });
    await exec('cp', ['-a', join(cluster, 'pg_wal'), folder]);
    const label = join(folder, 'backup_label');
    writeFileSync(label, rows[0].labelfile);
    const { uid, gid } = statSync(cluster);
    chownSync(label, uid, gid);
    rmSync(join(folder, 'postmaster.pid'), { force: true });
  } finally {
    await db.destroy();
  }
  return {
    async restore() {
      rmSync(cluster, { recursive: true });
      await exec('cp', ['-a', folder, cluster]);
    },
  };
}
