import { Anchor, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  readonly name: string;
  /** The filters of the list that has exactly these emails. Without them, the number is not a link. */
  readonly search: Readonly<Record<string, string>> | undefined;
  readonly value: string;
  readonly color?: string | undefined;
  readonly children: ReactNode;
};

/** A large number with its name and an explanation. */
export function Figure({ name, search, value, color, children }: Props) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" fw={600}>
        {name}
      </Text>
      <Text
        fz="1.6rem"
        fw={650}
        lh={1.3}
        {...(color !== undefined && { c: color })}
        style={{ fontVariantNumeric: 'tabular-nums' }}
      >
        {search === undefined ? (
          value
        ) : (
          <Anchor
            inherit
            c="inherit"
            underline="always"
            aria-label={`${name}: ${value}. Show these emails`}
            renderRoot={(props) => <Link {...props} to="/emails" search={search} />}
          >
            {value}
          </Anchor>
        )}
      </Text>
      <Text size="sm" c="dimmed" component="div">
        {children}
      </Text>
    </Paper>
  );
}
