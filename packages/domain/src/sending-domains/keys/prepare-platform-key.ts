import type { Context } from '../../context.js';
import { ensureActiveKey } from './ensure-active-key.js';

/**
 * Makes the key of the platform domain at the start of a service, so that its record can be published
 * before there is mail. Never throws: who cannot make it now, makes it when mail needs it.
 */
export async function preparePlatformKey(ctx: Pick<Context, 'config' | 'db' | 'log' | 'now'>): Promise<void> {
  try {
    await ensureActiveKey(ctx, null);
  } catch (error) {
    ctx.log.warn({ error }, 'platform_key_not_made');
  }
}
