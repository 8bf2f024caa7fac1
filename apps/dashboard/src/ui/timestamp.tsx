import { Tooltip, VisuallyHidden } from '@mantine/core';
import { useForceUpdate } from '@mantine/hooks';
import { useEffect } from 'react';
import { formatRelativeTime } from './format';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const localExact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

type TimestampProps = {
  readonly value: string;
  readonly exact?: boolean;
  readonly mayWrap?: boolean;
  /** Whether it is inside a link or button, where it must not be a tab stop. */
  readonly inLink?: boolean;
};

/** A time in a sequence: the exact time and how long ago it was, with UTC in the tooltip. */
export function TimeWithAge({ value, inLink = false }: Omit<TimestampProps, 'exact' | 'mayWrap'>) {
  const relative = formatRelativeTime(new Date(value), useNow());
  return (
    <Time value={value} details={toUtc(value)} inLink={inLink} mayWrap>
      {localExact.format(new Date(value))}
      {relative !== null && `, ${relative}`}
    </Time>
  );
}

/** A time in the user's time zone, with UTC in the tooltip. */
export function Timestamp({ value, exact = false, inLink = false, mayWrap = false }: TimestampProps) {
  const text = (exact ? localExact : local).format(new Date(value));
  return (
    <Time value={value} details={toUtc(value)} inLink={inLink} mayWrap={mayWrap}>
      {text}
    </Time>
  );
}

/** How long ago something was, or how soon it will be, with the exact time in the tooltip and for screen readers. */
export function RelativeTime({ value, inLink = false }: Omit<TimestampProps, 'exact' | 'mayWrap'>) {
  const now = useNow();
  const time = new Date(value);
  const relative = formatRelativeTime(time, now);
  if (relative === null) return <Timestamp value={value} inLink={inLink} />;
  const exact = localExact.format(time);
  return (
    <Time value={value} details={`${exact} (${toUtc(value)})`} inLink={inLink}>
      {relative}
      <VisuallyHidden>, {exact}</VisuallyHidden>
    </Time>
  );
}

type TimeProps = {
  readonly value: string;
  readonly details: string;
  readonly inLink: boolean;
  /** Whether it is so long that a narrow screen may need two lines for it. */
  readonly mayWrap?: boolean;
  readonly children: React.ReactNode;
};

function Time({ value, details, inLink, mayWrap = false, children }: TimeProps) {
  if (inLink)
    return (
      <time dateTime={value} title={details}>
        {children}
      </time>
    );
  return (
    <Tooltip label={details} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the tooltip too */}
      <time dateTime={value} tabIndex={0} style={{ whiteSpace: mayWrap ? undefined : 'nowrap' }}>
        {children}
      </time>
    </Tooltip>
  );
}

function toUtc(value: string): string {
  return `${value.replace('T', ' ').replace('Z', '')} UTC`;
}

const REFRESH_MS = 60_000;

/** The time when the component renders, which it does at least once a minute. */
function useNow(): Date {
  const update = useForceUpdate();
  useEffect(() => {
    const timer = setInterval(update, REFRESH_MS);
    return () => clearInterval(timer);
  }, [update]);
  return new Date();
}
