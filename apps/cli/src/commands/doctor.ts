import type { Command } from 'commander';
import { type CliContext, type RunAction, readLocalService } from '../command-line/context.js';
import { CliError } from '../command-line/errors.js';
import { type CheckResult, runChecks } from '../doctor/check.js';
import { buildQueueChecks, buildSecretChecks } from '../doctor/data-checks.js';
import { buildDnsChecks } from '../doctor/dns-checks.js';
import { buildFeedbackChecks } from '../doctor/feedback-checks.js';
import { buildPostgresChecks, buildReplicaCheck } from '../doctor/postgres-checks.js';
import { buildClockChecks, buildRedisChecks, openRedis } from '../doctor/redis-checks.js';
import { buildRelayChecks, buildUrlCheck } from '../doctor/server-checks.js';
import { buildWayOutChecks } from '../doctor/way-out-checks.js';

export function addDoctorCommand(doctor: Command, run: RunAction): void {
  doctor.action(() => run(examine));
}

/** @throws CliError with the results if a check failed, so that the exit code is 1 */
async function examine(ctx: CliContext): Promise<CheckResult[]> {
  const results = await runAll(ctx);
  const failures = results.filter(({ status }) => status === 'failed').length;
  if (failures > 0) throw new CliError('checks_failed', `${failures} of ${results.length} checks failed.`, results);
  return results;
}

async function runAll(ctx: CliContext): Promise<CheckResult[]> {
  const { env } = ctx;
  const local = env.DATABASE_URL === undefined ? readLocalService() : {};
  const now = ctx.now();
  const redis = openRedis(ctx.config.redisUrl);
  const publicUrl = env.PUBLIC_URL === undefined ? (local.api_url ?? null) : ctx.config.publicUrl;
  try {
    return await runChecks([
      ...buildPostgresChecks(ctx),
      buildReplicaCheck(ctx),
      ...buildQueueChecks(ctx),
      ...buildSecretChecks(ctx),
      ...buildRedisChecks(redis),
      ...buildClockChecks(ctx, redis),
      ...buildDnsChecks(ctx),
      ...buildRelayChecks(env.SMTP_URL ?? local.smtp_url, now),
      ...(await buildWayOutChecks(ctx)),
      ...(await buildFeedbackChecks(ctx)),
      buildUrlCheck('PUBLIC_URL', publicUrl, now),
      buildUrlCheck('TRACKING_URL', ctx.config.trackingUrl, now),
    ]);
  } finally {
    redis?.close();
  }
}
