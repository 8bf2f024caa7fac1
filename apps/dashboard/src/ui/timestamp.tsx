import { Tooltip } from '@mantine/core';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const localExact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time in the viewer's zone; UTC when pointed at. @param exact with seconds */
export function Timestamp({ value, exact = false }: { readonly value: string; readonly exact?: boolean }) {
  return (
    <Tooltip
      label={`${value.replace('T', ' ').replace('Z', '')} UTC`}
      events={{ hover: true, focus: true, touch: true }}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip is for those with a keyboard, too */}
      <time dateTime={value} tabIndex={0} style={{ whiteSpace: 'nowrap' }}>
        {(exact ? localExact : local).format(new Date(value))}
      </time>
    </Tooltip>
  );
}
