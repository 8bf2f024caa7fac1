import type { ReactNode } from 'react';
import classes from './scroll-box.module.css';

/** Text as it is written, in a box that is scrolled on its own, by keyboard too. */
export function ScrollBox({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls it by keyboard
    <section className={classes.box} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
