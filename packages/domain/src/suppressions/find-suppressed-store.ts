import { toAddressKey } from '@posthorn/domain/format';
import { EVERY_WORKSPACE } from '@posthorn/domain/workspaces';
import type { Context } from '@posthorn/platform';
import { groupCalls } from '@posthorn/platform/batching';
import { type Db, inPipeline, type Statement } from '@posthorn/platform/postgres';
import { createAddressHashers, type SoughtAddress, toSoughtAddresses } from './address-hash.js';
import type { Suppression } from './suppression-store.js';

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
export function createSuppressedFinder(ctx: Pick<Context, 'config' | 'db'>): FindSuppressed {
  const hashers = createAddressHashers(ctx.config);
  return groupCalls(
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

/** A suppression of `address`, which is known even if the suppression has only its hash. */
type FoundSuppression = Pick<Suppression, 'topic' | 'reason'> & {
  /** The workspace that was asked about, even if the suppression is for all workspaces. */
  readonly workspaceId: string;
  readonly address: string;
  /** Whether the operator has suppressed the address for all workspaces. */
  readonly isForAllWorkspaces: boolean;
};

export async function findSuppressionsOfAddresses(
  db: Db,
  sought: readonly SoughtAddress[],
): Promise<FoundSuppression[]> {
  const rows = sought.map(({ workspaceId, address, hash }) => ({
    workspace_id: workspaceId,
    address,
    hash: hash.toString('hex'),
  }));
  return inPipeline(db, (send) => send<FoundSuppression>(FIND, [JSON.stringify(rows)]));
}

const FIND: Statement = {
  name: 'find_suppressions',
  text: `
    with sought as materialized (
      select workspace_id, address, decode(hash, 'hex') as hash
      from json_to_recordset($1::json) as sought (workspace_id uuid, address text, hash text)
    )
    select sought.workspace_id as "workspaceId", sought.address, nullif(topic, '') as topic, reason,
      suppressions.workspace_id = '${EVERY_WORKSPACE}' as "isForAllWorkspaces"
    from sought join suppressions
      on suppressions.workspace_id in (sought.workspace_id, '${EVERY_WORKSPACE}')
      and suppressions.address = sought.address
    union all
    select sought.workspace_id, sought.address, nullif(topic, ''), reason, false
    from sought join suppressions
      on suppressions.workspace_id = sought.workspace_id and address_hash = hash`,
};
