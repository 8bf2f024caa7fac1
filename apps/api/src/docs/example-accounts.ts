import type {
  AccountSession,
  ApiKey,
  AuditEntry,
  Invitation,
  Member,
  Session,
  Usage,
  Workspace,
} from '@posthorn/contract';
import { ID, NOW } from './example-values.js';

export const apiKey: ApiKey = {
  object: 'api_key',
  id: ID,
  mode: 'live',
  name: 'Web shop',
  hint: 'f3Kq',
  scopes: ['emails:send'],
  domain_ids: null,
  networks: ['192.0.2.0/24'],
  created_at: NOW,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

const { object, ...ownWorkspace }: Workspace = {
  object: 'workspace',
  id: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d372',
  name: 'Acme',
  slug: 'acme',
  plan: 'free',
  platform_sender: 'acme@mail.example.com',
  content_retention_days: null,
  email_retention_days: null,
  paused: null,
};

export const workspace: Workspace = { object, ...ownWorkspace };

export const session: Session = {
  user: { id: ID, email: 'jane@example.com', email_verified: true },
  workspace: ownWorkspace,
};

export const auditEntry: AuditEntry = {
  object: 'audit_entry',
  id: '0198c5d2-7e3a-7b41-9c06-52f1e8a4d373',
  actor: { type: 'user', id: ID, label: 'jane@example.com' },
  action: 'workspace.updated',
  target: { type: 'workspace', id: ownWorkspace.id, label: 'Acme' },
  ip: '192.0.2.10',
  created_at: NOW,
  changes: { email_retention_days: { from: null, to: 30 } },
};

export const member: Member = {
  object: 'member',
  id: ID,
  email: 'joe@example.com',
  role: 'member',
  status: 'invited',
  created_at: NOW,
  expires_at: '2026-11-27T09:30:00.000Z',
};

export const invitation: Invitation = {
  object: 'invitation',
  email: 'joe@example.com',
  role: 'member',
  workspace: { name: 'Acme' },
  has_account: false,
  expires_at: '2026-11-27T09:30:00.000Z',
};

export const accountSession: AccountSession = {
  object: 'session',
  id: ID,
  workspace_id: workspace.id,
  created_at: NOW,
  last_seen_at: NOW,
  current: true,
};

export const usage: Usage = {
  object: 'usage',
  plan: { id: 'free', name: 'Free', price_usd: 0 },
  monthly: { used: 1, limit: 3000, remaining: 2999, resets_at: '2026-12-01T00:00:00.000Z' },
  daily: { used: 1, limit: 100, remaining: 99, resets_at: '2026-11-21T00:00:00.000Z' },
  overage: { allowed: false, sends: 0, per: 1000, unit_price_usd: 0, amount_usd: 0 },
  rate_limit: { per_minute: 60 },
  history: [{ date: '2026-11-20', sends: 1 }],
};
