import type { Context } from '../context.js';
import { type Bell, openBell } from '../queue/delivery-jobs.js';
import { type FindSenderDomain, senderDomainFinder } from '../sending-domains/domain/find-sender-domain.js';
import { currentVersionFinder, type FindCurrentVersion } from '../templates/find-template-version.js';
import { type TemplateCache, templateCache } from '../templates/template-cache.js';
import { type Gate, openGate } from './admission-check.js';
import { openLedger, type WriteLedger } from './group-commit.js';

/** What a process needs to accept emails: the gate in Redis, the ledger in Postgres, the bell. */
export type Acceptance = Pick<Context, 'config' | 'db' | 'log' | 'now' | 'redis'> & {
  readonly gate: Gate;
  readonly writeLedger: WriteLedger;
  readonly bell: Bell;
  readonly templates: TemplateCache;
  readonly findCurrentVersion: FindCurrentVersion;
  readonly findSenderDomain: FindSenderDomain;
  close(): Promise<void>;
};

export function openAcceptance(ctx: Context): Acceptance {
  const { config, db, log, now, redis } = ctx;
  const bell = openBell(ctx);
  return {
    config,
    db,
    log,
    now,
    redis,
    bell,
    gate: openGate(ctx),
    writeLedger: openLedger(ctx, bell),
    templates: templateCache(),
    findCurrentVersion: currentVersionFinder(ctx),
    findSenderDomain: senderDomainFinder(ctx),
    close: () => bell.close(),
  };
}
