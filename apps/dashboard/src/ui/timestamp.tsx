import { Tooltip } from '@mantine/core';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const localExact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

type Props = {
  readonly value: string;
  /** With seconds. */
  readonly exact?: boolean;
  /** Within a link or button: nothing in it to stop at. */
  readonly inLink?: boolean;
};

/** A time in the viewer's zone; UTC when pointed at. */
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip is for those with a keyboard, too */}
      <time dateTime={value} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {text}
      </time>
    </Tooltip>
  );
}
