import { Anchor, Badge, Group } from '@mantine/core';
import type { Webhook } from '@posthorn/contract';
import { Link } from '@tanstack/react-router';
import { RelativeTime } from '../ui/timestamp';
import { WebhookStatusBadge } from './webhook-status-badge';

export function WebhookStatusLine({ webhook }: { readonly webhook: Webhook }) {
  const { mode, created_at } = webhook;
  return (
    <Group gap="md" fz="sm" mt="xs">
      <WebhookStatusBadge webhook={webhook} />
      {mode === 'test' && (
        <Badge variant="default" tt="none" fw={500} size="lg" radius="sm">
          Test mail
        </Badge>
      )}
      <span>
        created <RelativeTime value={created_at} />
      </span>
      <Anchor
        inherit
        renderRoot={(props) => <Link {...props} to="/webhooks" search={mode === 'test' ? { mode } : {}} />}
      >
        All webhooks
      </Anchor>
    </Group>
  );
}
