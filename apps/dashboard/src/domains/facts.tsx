import { Box, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Names and what they stand for; beneath each other where there is little room. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <Stack component="dl" gap="sm" m={0}>
      {children}
    </Stack>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Group align="baseline" gap={4}>
      <Text component="dt" size="sm" fw={600} miw="6rem" pr="xs">
        {name}
      </Text>
      <Box component="dd" m={0} flex="1 1 14rem" miw={0} className="breakable" fz="sm">
        {children}
      </Box>
    </Group>
  );
}
