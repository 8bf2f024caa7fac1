import { limits } from '@posthorn/domain/limits';
import Joi from 'joi';

export type StatsQuery = { days?: string };

/** GET /api/v1/emails/stats */
export const statsQuery = Joi.object<StatsQuery>({
  days: Joi.string().pattern(/^([1-9]|[12]\d|3[01])$/, `a whole number from 1 to ${limits.statsDays.max}`),
});

export function toDays({ days }: StatsQuery): number {
  return Number(days ?? limits.statsDays.max);
}
