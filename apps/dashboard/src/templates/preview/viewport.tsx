import { useResizeObserver } from '@mantine/hooks';
import type { ReactNode } from 'react';

type Props = { readonly width: number; readonly children: ReactNode };

/** Gives its content so many pixels to lay itself out in, and shrinks the picture to what room there is. */
export function Viewport({ width, children }: Props) {
  const [room, { width: available }] = useResizeObserver<HTMLDivElement>();
  const [content, { height }] = useResizeObserver<HTMLDivElement>();
  const scale = available > 0 ? Math.min(1, available / width) : 1;
  return (
    <div ref={room} style={{ height: height > 0 ? height * scale : undefined, overflow: 'hidden' }}>
      <div ref={content} style={{ width, margin: '0 auto', transform: `scale(${scale})`, transformOrigin: '0 0' }}>
        {children}
      </div>
    </div>
  );
}
