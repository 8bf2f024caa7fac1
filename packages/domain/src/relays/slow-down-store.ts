import type { Context } from '@posthorn/platform';

/** A time in which a site wants less mail from us. @property until in milliseconds since 1970. @property reply why */
export type SlowDownState = { readonly until: number; readonly reply: string };

type SlowDownContext = Pick<Context, 'incarnation' | 'redis'>;

const toKey = ({ incarnation }: SlowDownContext, place: string) => incarnation.key(`relay:slow:${place}`);

/** @throws Error if Redis is unreachable */
export async function findSlowDown(ctx: SlowDownContext, place: string): Promise<SlowDownState | null> {
  const text = await ctx.redis.get(toKey(ctx, place));
  return text === null ? null : (JSON.parse(text) as SlowDownState);
}

export async function beginSlowDown(ctx: SlowDownContext, place: string, state: SlowDownState): Promise<void> {
  const ms = Math.max(1, Math.ceil(state.until - Date.now()));
  await ctx.redis.set(toKey(ctx, place), JSON.stringify(state), 'PX', ms);
}

export async function endSlowDown(ctx: SlowDownContext, place: string): Promise<void> {
  await ctx.redis.del(toKey(ctx, place));
}
