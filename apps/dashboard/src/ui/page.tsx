import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PageFrame, type PageFrameProps } from './page-frame';

/**
 * A page of the dashboard. After navigation, it moves the focus to the heading, for screen readers. On the first load,
 * the focus stays at the top, before the skip link.
 */
export function Page(props: PageFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { history } = useRouter();
  useEffect(() => {
    const isNothingFocused = document.activeElement === null || document.activeElement === document.body;
    if (isNothingFocused && history.canGoBack()) heading.current?.focus();
  }, [history]);
  return <PageFrame {...props} windowTitle={`${props.title} · Posthorn`} headingRef={heading} />;
}
