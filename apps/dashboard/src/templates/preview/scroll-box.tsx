import type { ReactNode } from 'react';
import classes from './scroll-box.module.css';

/** Preformatted text in a box that can be scrolled with the keyboard. */
export function ScrollBox({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section className={classes.box} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
