import { isId } from '@posthorn/platform/values';

/** One erasure as it is kept outside the database: enough to repeat it. The address is encrypted. */
export type JournalEntry = {
  readonly id: string;
  readonly workspaceId: string;
  /** The encrypted address, and the id of the SECRET_KEY that decrypts it. */
  readonly address: Buffer;
  readonly secretKeyId: string;
  readonly requestedAt: Date;
  readonly below: string;
};

/** The entry as one line of JSON, without a line break. */
export function formatJournalEntry(entry: JournalEntry): string {
  return JSON.stringify({
    object: 'erasure',
    id: entry.id,
    workspace_id: entry.workspaceId,
    address: entry.address.toString('base64'),
    secret_key_id: entry.secretKeyId,
    requested_at: entry.requestedAt.toISOString(),
    below: entry.below,
  });
}

/** The last line of a journal. @param erasures how many lines come before it */
export function formatJournalEnd(erasures: number): string {
  return JSON.stringify({ object: 'erasure_export_end', erasures });
}

/** @returns how many erasures the journal has; null if the line is not the last one of a journal */
export function parseJournalEnd(line: string): number | null {
  const { object, erasures } = parseObject(line);
  return object === 'erasure_export_end' && typeof erasures === 'number' ? erasures : null;
}

/** @returns null if the line is not an entry of the journal */
export function parseJournalEntry(line: string): JournalEntry | null {
  const json = parseObject(line);
  const { id, workspace_id, address, secret_key_id, requested_at, below } = json;
  if (json.object !== 'erasure' || ![id, workspace_id, below].every((text) => typeof text === 'string' && isUuid(text)))
    return null;
  const requestedAt = new Date(String(requested_at));
  if (typeof address !== 'string' || typeof secret_key_id !== 'string' || Number.isNaN(requestedAt.getTime()))
    return null;
  return {
    id: String(id),
    workspaceId: String(workspace_id),
    address: Buffer.from(address, 'base64'),
    secretKeyId: secret_key_id,
    requestedAt,
    below: String(below),
  };
}

function parseObject(line: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(line);
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** `below` is the first id of a moment, which has no version number. */
function isUuid(text: string): boolean {
  return isId(text) || /^[0-9a-f]{8}-[0-9a-f]{4}-0000-0000-0{12}$/.test(text);
}
