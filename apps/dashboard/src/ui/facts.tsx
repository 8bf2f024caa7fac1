import type { ReactNode } from 'react';
import classes from './facts.module.css';

type Props = { readonly columns?: 1 | 2; readonly children: ReactNode };

/** Names with what belongs to them. @param columns 2, where there is room, unless the values are long */
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
