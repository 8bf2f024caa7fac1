import { formatCountOf } from '@posthorn/platform/values';
import type { RemovedAccess } from './remove-earlier-access.js';

/** "2 API keys, 1 other member and 1 invitation" */
export function describeRemovedAccess({ keys, sessions, members, invitations }: RemovedAccess): string {
  const counts: ReadonlyArray<readonly [number, string]> = [
    [keys, 'API key'],
    [sessions, 'session'],
    [members, 'other member'],
    [invitations, 'invitation'],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, what]) => formatCountOf(count, what));
  const last = parts.pop() ?? 'nothing';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
