import { ensureProgram, type InstallableProgram } from './ensure-program.js';
import { findProgram } from './find-program.js';

const redis: InstallableProgram = {
  name: 'Redis',
  // Valkey is a drop-in replacement.
  find: () => findProgram('redis-server') ?? findProgram('valkey-server'),
  packages: {
    'apt-get': ['redis-server'],
    dnf: ['redis', 'valkey'],
    apk: ['redis', 'valkey'],
    pacman: ['valkey'],
    brew: ['redis'],
  },
  problem: 'Posthorn needs Redis, but neither redis-server nor valkey-server is installed',
  manualInstall: 'redis-server (6.2 or newer) or valkey-server',
  alternative: 'set REDIS_URL to a running Redis server',
};

/**
 * Finds redis-server or valkey-server, or installs it.
 * @returns its path
 * @throws Error with install instructions if it cannot be installed automatically
 */
export function ensureRedis(log: (line: string) => void): Promise<string> {
  return ensureProgram(redis, log);
}
