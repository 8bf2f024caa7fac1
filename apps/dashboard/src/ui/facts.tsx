import { Badge, type MantineColor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** A list of names and values. @param columns 1 for long values; with 2, narrow screens still get one column */
export function Facts({ columns = 2, children }: { readonly columns?: 1 | 2; readonly children: ReactNode }) {
  return (
    <dl className={classes.facts} data-columns={columns}>
      {children}
    </dl>
  );
}

/** Shows nothing without a value. */
export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  if (children === null || children === undefined || children === false) return null;
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="breakable">{children}</dd>
    </div>
  );
}

/** Shows nothing for an empty list. */
export function ListFact({ name, values }: { readonly name: string; readonly values: readonly string[] }) {
  return <Fact name={name}>{values.length > 0 && values.join(', ')}</Fact>;
}

/** A colored dot with a label. The label keeps the text color, so that it stays readable. */
export function StatusBadge({ color, label }: { readonly color: MantineColor; readonly label: string }) {
  return (
    <Badge variant="dot" color={color} size="lg" tt="none" fw={500} radius="sm" miw="max-content">
      {label}
    </Badge>
  );
}

/** Small print below or above a value. */
export function Caption({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      {children}
    </Text>
  );
}
