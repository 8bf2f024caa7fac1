import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';

/** The sender address for emails without `from_`. */
export function PlatformSender() {
  const { workspace } = useSession();
  return (
    <Group gap={6}>
      <Text size="sm">Platform sender</Text>
      <Copyable value={workspace.platform_sender} what="the platform sender" />
      <Text size="sm">
        is used for emails without <code>from_</code>.{' '}
        <Anchor component={Link} to="/domains" inherit underline="always">
          Send from your own domain
        </Anchor>
      </Text>
    </Group>
  );
}
