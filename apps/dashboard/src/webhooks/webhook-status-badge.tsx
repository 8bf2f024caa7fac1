import type { Webhook } from '@posthorn/contract';
import { StatusBadge } from '../ui/status-badge';
import { webhookStatus } from './webhook-status';

export function WebhookStatusBadge({ webhook }: { readonly webhook: Webhook }) {
  const { color, label } = webhookStatus(webhook);
  return <StatusBadge color={color} label={label} />;
}
