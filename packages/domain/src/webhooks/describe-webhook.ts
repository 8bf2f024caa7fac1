import type { AuditTarget } from '@posthorn/contract';
import type { AuditedFields } from '@posthorn/domain/audit-log';
import type { Webhook } from './webhook.js';

/** How the audit log refers to a webhook. */
export function webhookTarget({ id, url }: Pick<Webhook, 'id' | 'url'>): AuditTarget {
  return { type: 'webhook', id, label: url };
}

/** The fields of a webhook that the audit log shows, named as in the API. */
export function webhookFields(webhook: Webhook): AuditedFields {
  const { url, description, events, domainIds, tags, status, disabledBecause } = webhook;
  return { url, description, events, domain_ids: domainIds, tags, status, disabled_because: disabledBecause };
}
