import { type DeliveryJobs, openDeliveryJobs } from '@posthorn/domain/delivery';
import { type FindSenderDomain, senderDomainFinder } from '@posthorn/domain/domains';
import { type FindSuppressed, suppressedFinder } from '@posthorn/domain/suppressions';
import {
  currentVersionFinder,
  type FindCurrentVersion,
  type TemplateCache,
  templateCache,
} from '@posthorn/domain/templates';
import { createWindows, type Windows } from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { type AdmissionCheck, openAdmissionCheck } from './admission-check.js';
import { type CommitEmails, openGroupCommit } from './group-commit.js';

/** What a process needs to accept emails. */
export type AcceptContext = Pick<
  Context,
  'config' | 'db' | 'log' | 'now' | 'objects' | 'incarnation' | 'redis' | 'tracer'
> & {
  readonly admissionCheck: AdmissionCheck;
  readonly commitEmails: CommitEmails;
  readonly deliveryJobs: DeliveryJobs;
  readonly templates: TemplateCache;
  readonly findCurrentVersion: FindCurrentVersion;
  readonly findSenderDomain: FindSenderDomain;
  readonly findSuppressed: FindSuppressed;
  readonly windows: Windows;
  close(): Promise<void>;
};

export function openAcceptContext(ctx: Context): AcceptContext {
  const { config, db, log, now, objects, incarnation, redis, tracer } = ctx;
  const deliveryJobs = openDeliveryJobs(ctx);
  return {
    config,
    db,
    log,
    now,
    objects,
    incarnation,
    redis,
    tracer,
    deliveryJobs,
    admissionCheck: openAdmissionCheck(ctx),
    commitEmails: openGroupCommit(ctx, deliveryJobs),
    templates: templateCache(),
    findCurrentVersion: currentVersionFinder(ctx),
    findSenderDomain: senderDomainFinder(ctx),
    findSuppressed: suppressedFinder(ctx),
    windows: createWindows(),
    close: () => deliveryJobs.close(),
  };
}
