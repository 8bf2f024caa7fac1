import type { ReactNode } from 'react';
import classes from './facts.module.css';

type Props = { readonly columns?: 1 | 2; readonly children: ReactNode };

/** A list of names and values. @param columns 1 for long values; with 2, narrow screens still get one column */
export function Facts({ columns = 2, children }: Props) {
  return (
    <dl className={classes.facts} data-columns={columns}>
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="breakable">{children}</dd>
    </div>
  );
}
