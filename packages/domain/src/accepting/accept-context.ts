import { type DeliveryJobs, openDeliveryJobs } from '@posthorn/domain/delivery';
import { createSenderDomainFinder, type FindSenderDomain } from '@posthorn/domain/domains';
import { createSuppressedFinder, type FindSuppressed } from '@posthorn/domain/suppressions';
import {
  createCurrentVersionFinder,
  createTemplateCache,
  type FindCurrentVersion,
  type TemplateCache,
} from '@posthorn/domain/templates';
import { createFairQueue, createWindows, type FairQueue, type Windows } from '@posthorn/domain/throttles';
import type { Context } from '@posthorn/platform';
import { type AdmissionCheck, createAdmissionCheck } from './admission-check.js';
import { type CommitEmails, createGroupCommit } from './group-commit.js';

/** What a process needs to accept emails. */
export type AcceptContext = Pick<
  Context,
  'config' | 'db' | 'log' | 'now' | 'objects' | 'incarnation' | 'redis' | 'tracer'
> & {
  readonly admissionCheck: AdmissionCheck;
  readonly commitEmails: CommitEmails;
  /** A workspace stores the files of one request at a time, because that keeps a connection to Postgres busy. */
  readonly stagingTurns: FairQueue;
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
    admissionCheck: createAdmissionCheck(ctx),
    commitEmails: createGroupCommit(ctx, deliveryJobs),
    stagingTurns: createFairQueue({ atOnce: 1 }),
    templates: createTemplateCache(),
    findCurrentVersion: createCurrentVersionFinder(ctx),
    findSenderDomain: createSenderDomainFinder(ctx),
    findSuppressed: createSuppressedFinder(ctx),
    windows: createWindows(),
    close: () => deliveryJobs.close(),
  };
}
