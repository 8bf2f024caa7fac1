import { Box } from '@mantine/core';
import { useResizeObserver } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './viewport.module.css';

type Props = { readonly width: number; readonly children: ReactNode };

/** Lays out its content at a fixed width and scales it down to fit. */
export function Viewport({ width, children }: Props) {
  const [container, { width: available }] = useResizeObserver<HTMLDivElement>();
  const [content, { height }] = useResizeObserver<HTMLDivElement>();
  const scale = available > 0 ? Math.min(1, available / width) : 1;
  return (
    <div ref={container} style={{ height: height > 0 ? height * scale : undefined, overflow: 'hidden' }}>
      <Box ref={content} className={classes.content} __vars={{ '--scale': String(scale) }} style={{ width }}>
        {children}
      </Box>
    </div>
  );
}
