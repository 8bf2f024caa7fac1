import type { DomainStatus } from '@posthorn/contract';
import type { Findings } from './finding.js';
import type { SendingDomain } from './sending-domain.js';

export const domainColumns = [
  'id',
  'workspace_id',
  'name',
  'status',
  'ownership_token',
  'created_at',
  'verified_at',
  'checked_at',
  'findings',
  'track_opens',
  'track_clicks',
  'has_tracking_host',
];

export type DomainRow = {
  id: string;
  workspace_id: string;
  name: string;
  status: DomainStatus;
  ownership_token: string;
  created_at: Date;
  verified_at: Date | null;
  checked_at: Date | null;
  findings: Findings;
  track_opens: boolean;
  track_clicks: boolean;
  has_tracking_host: boolean;
};

export function toDomain(row: DomainRow): SendingDomain {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    status: row.status,
    ownershipToken: row.ownership_token,
    createdAt: row.created_at,
    verifiedAt: row.verified_at,
    checkedAt: row.checked_at,
    findings: row.findings,
    trackOpens: row.track_opens,
    trackClicks: row.track_clicks,
    hasTrackingHost: row.has_tracking_host,
  };
}
