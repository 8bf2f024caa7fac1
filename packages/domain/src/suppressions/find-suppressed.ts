import { toAddressKey } from '@posthorn/domain/format';
import type { Context } from '@posthorn/platform';
import { grouped } from '@posthorn/platform/batching';
import { addressHashers, toSoughtAddresses } from './address-hash.js';
import type { Suppression } from './suppression.js';
import { type FoundSuppression, findSuppressionsOfAddresses } from './suppression-store.js';

const MAX_CALLS_PER_STATEMENT = 50;

/** The recipients of an email, and what they can unsubscribe from. */
type SuppressionQuery = {
  /** The live workspace. */
  readonly workspaceId: string;
  readonly topic: string | null;
  readonly addresses: readonly string[];
};

/** Why each suppressed address gets no mail. The keys are the addresses as given. */
type Suppressed = ReadonlyMap<string, Pick<FoundSuppression, 'reason' | 'isForAllWorkspaces'>>;

export type FindSuppressed = (query: SuppressionQuery) => Promise<Suppressed>;

/** Calls that are made at the same time share one statement. */
export function suppressedFinder(ctx: Pick<Context, 'config' | 'db'>): FindSuppressed {
  const hashers = addressHashers(ctx.config);
  return grouped(
    async (queries: SuppressionQuery[]) => {
      const found = await findSuppressionsOfAddresses(
        ctx.db,
        queries.flatMap(({ workspaceId, addresses }) => toSoughtAddresses(hashers, workspaceId, addresses)),
      );
      return queries.map((query) => choose(query, found));
    },
    { max: MAX_CALLS_PER_STATEMENT, inFlight: 2 },
  );
}

/** @param found the suppressions of all queries. There are few, because few recipients are suppressed */
function choose({ workspaceId, topic, addresses }: SuppressionQuery, found: readonly FoundSuppression[]): Suppressed {
  const suppressed = new Map<string, Pick<FoundSuppression, 'reason' | 'isForAllWorkspaces'>>();
  for (const address of addresses) {
    const key = toAddressKey(address);
    const suppression = found.find(
      (each) => each.workspaceId === workspaceId && each.address === key && applies(each, topic),
    );
    if (suppression)
      suppressed.set(address, { reason: suppression.reason, isForAllWorkspaces: suppression.isForAllWorkspaces });
  }
  return suppressed;
}

/**
 * Whether a suppression of the recipient applies to an email. Only mail with a topic is mail that one can unsubscribe
 * from. Mail without a topic, such as a receipt, is for everyone who has not bounced or complained.
 */
function applies({ reason, topic }: Pick<Suppression, 'reason' | 'topic'>, topicOfEmail: string | null): boolean {
  if (topic !== null) return topic === topicOfEmail;
  return reason !== 'unsubscribe' || topicOfEmail !== null;
}
