import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useSession } from '../accounts/session';
import { Copyable } from '../ui/copyable';
import { Section } from '../ui/section';

export function PlatformSender() {
  const { workspace } = useSession();
  return (
    <Section title="Platform sender">
      <Copyable value={workspace.platform_sender} what="the platform sender" />
      <Text size="sm" c="dimmed" mt="xs">
        Mail without <code>from_</code> comes from here. To send from an address of your own,{' '}
        <Anchor component={Link} to="/domains" inherit underline="always">
          add a domain
        </Anchor>
        .
      </Text>
    </Section>
  );
}
