import { findProgram } from './command.js';

/** Redis, or Valkey which speaks the same language; null when this machine has neither. */
export function findRedis(): string | null {
  return findProgram('redis-server') ?? findProgram('valkey-server');
}
