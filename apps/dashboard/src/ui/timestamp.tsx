import { Tooltip } from '@mantine/core';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const localExact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

type Props = {
  readonly value: string;
  /** Shows seconds. */
  readonly exact?: boolean;
  /** Whether it is inside a link or button, where it must not be a tab stop. */
  readonly inLink?: boolean;
};

/** A time in the user's time zone, with UTC in the tooltip. */
export function Timestamp({ value, exact = false, inLink = false }: Props) {
  const utc = `${value.replace('T', ' ').replace('Z', '')} UTC`;
  const text = (exact ? localExact : local).format(new Date(value));
  if (inLink)
    return (
      <time dateTime={value} title={utc}>
        {text}
      </time>
    );
  return (
    <Tooltip label={utc} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the tooltip too */}
      <time dateTime={value} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {text}
      </time>
    </Tooltip>
  );
}
