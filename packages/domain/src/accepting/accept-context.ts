import type { Context } from '../context.js';
import { type DeliveryJobs, openDeliveryJobs } from '../queue/delivery-jobs.js';
import { openUnverifiedMailLimiter, type UnverifiedMailLimiter } from '../rate-limits/unverified-mail-limiter.js';
import { type FindSenderDomain, senderDomainFinder } from '../sending-domains/domain/sender-domain-store.js';
import { type FindSuppressed, suppressedFinder } from '../suppressions/find-suppressed.js';
import { currentVersionFinder, type FindCurrentVersion } from '../templates/find-template-version.js';
import { type TemplateCache, templateCache } from '../templates/template-cache.js';
import { type AdmissionCheck, openAdmissionCheck } from './admission-check.js';
import { type CommitEmails, openGroupCommit } from './group-commit.js';

/** What a process needs to accept emails. */
export type AcceptContext = Pick<
  Context,
  'config' | 'db' | 'log' | 'now' | 'objects' | 'incarnationKeys' | 'redis' | 'tracer'
> & {
  readonly admissionCheck: AdmissionCheck;
  readonly commitEmails: CommitEmails;
  readonly deliveryJobs: DeliveryJobs;
  readonly templates: TemplateCache;
  readonly findCurrentVersion: FindCurrentVersion;
  readonly findSenderDomain: FindSenderDomain;
  readonly findSuppressed: FindSuppressed;
  readonly unverifiedMailLimiter: UnverifiedMailLimiter;
  close(): Promise<void>;
};

export function openAcceptContext(ctx: Context): AcceptContext {
  const { config, db, log, now, objects, incarnationKeys, redis, tracer } = ctx;
  const deliveryJobs = openDeliveryJobs(ctx);
  return {
    config,
    db,
    log,
    now,
    objects,
    incarnationKeys,
    redis,
    tracer,
    deliveryJobs,
    admissionCheck: openAdmissionCheck(ctx),
    commitEmails: openGroupCommit(ctx, deliveryJobs),
    templates: templateCache(),
    findCurrentVersion: currentVersionFinder(ctx),
    findSenderDomain: senderDomainFinder(ctx),
    findSuppressed: suppressedFinder(ctx),
    unverifiedMailLimiter: openUnverifiedMailLimiter(ctx),
    close: () => deliveryJobs.close(),
  };
}
