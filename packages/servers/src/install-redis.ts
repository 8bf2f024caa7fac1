import { findRedis } from './find-redis.js';
import { ensureProgram, type MachineProgram } from './install-program.js';

const redis: MachineProgram = {
  name: 'Redis',
  find: findRedis,
  packages: {
    'apt-get': ['redis-server'],
    dnf: ['redis', 'valkey'],
    apk: ['redis', 'valkey'],
    pacman: ['valkey'],
    brew: ['redis'],
  },
  need: 'Posthorn needs Redis, and this machine has neither redis-server nor valkey-server',
  byHand: 'redis-server (6.2 or newer) or valkey-server',
  instead: 'set REDIS_URL to a running one',
};

/**
 * The path of a Redis server, which is installed where it is missing.
 * @throws Error that says what to install, when we may not or could not
 */
export function ensureRedis(log: (line: string) => void): Promise<string> {
  return ensureProgram(redis, log);
}
