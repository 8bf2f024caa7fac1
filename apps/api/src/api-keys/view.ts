import type { ApiKey as ApiKeyJson } from '@posthorn/contract';
import type { ApiKey } from '@posthorn/domain/api-keys';

export function viewKey(key: ApiKey): ApiKeyJson {
  return {
    object: 'api_key',
    id: key.id,
    name: key.name,
    mode: key.mode,
    hint: key.hint,
    scopes: key.scopes,
    domain_ids: key.domainIds,
    networks: key.networks,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
