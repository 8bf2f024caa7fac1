import { Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function Logo() {
  return (
    <Group component={Link} {...{ to: '/' }} gap={8} wrap="nowrap" style={{ color: 'inherit', textDecoration: 'none' }}>
      <img src="/favicon.svg" alt="" width={26} height={26} />
      <Text fw={700} size="lg">
        Posthorn
      </Text>
    </Group>
  );
}
