import type { Context } from '@posthorn/platform';
import { ensureActiveKey } from './ensure-active-key.js';

/**
 * Creates the key of the platform domain when a process starts, so that the key's record can be published before any
 * mail is sent. It never throws, because a key that cannot be created now will be created when it is first needed.
 */
export async function preparePlatformKey(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): Promise<void> {
  try {
    await ensureActiveKey(ctx, null);
  } catch (error) {
    ctx.log.warn({ error }, 'platform_key_not_created');
  }
}
