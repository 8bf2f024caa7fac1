import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './fact-list.module.css';

/** Names and what they stand for, side by side where there is room. */
export function FactList({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }) {
  return (
    <dl className={classes.list}>
      {facts.map(([name, value]) => (
        <Box key={name} className={classes.fact}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} size="sm" className="breakable">
            {value}
          </Text>
        </Box>
      ))}
    </dl>
  );
}
