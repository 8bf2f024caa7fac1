import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Names with what belongs to them, in two columns where there is room. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="breakable">{children}</dd>
    </div>
  );
}
