import type { Suppression as SuppressionJson } from '@posthorn/contract';
import type { Suppression } from '@posthorn/domain/suppressions';

export function viewSuppression(suppression: Suppression): SuppressionJson {
  const { id, address, topic, reason, emailId, detail, createdAt } = suppression;
  return {
    object: 'suppression',
    id,
    address,
    topic,
    reason,
    email_id: emailId,
    detail,
    created_at: createdAt.toISOString(),
  };
}
