import { Alert, createTheme, DEFAULT_THEME, type MantineColorsTuple, Modal, Notification, Text } from '@mantine/core';

/** The blue of an old postal sign. White text on `6` and darker has a contrast ratio above 4.5. */
const ink: MantineColorsTuple = [
  '#eef3ff',
  '#dce4f5',
  '#b9c8e8',
  '#94aadb',
  '#7490d0',
  '#5f7fc9',
  '#3f63b5',
  '#32539f',
  '#28458a',
  '#1b3773',
];

/** For destructive buttons: white text on `6` and `7` has a contrast ratio above 4.5. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffeceb',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#e35d5d',
  '#cf3434',
  '#c02626',
  '#ad1f1f',
  '#8f1a1a',
];

/** Close buttons show only an icon, so they need a label. */
const labelledCloseButton = { closeButtonProps: { 'aria-label': 'Close' } };

export const theme = createTheme({
  colors: {
    ink,
    red,
    yellow: makeReadable('yellow', '#fff7db', '#7d4600'),
    orange: makeReadable('orange', '#fff0e2', '#8a3a00'),
    green: makeReadable('green', '#e6f8e9', '#1f6b2d'),
  },
  components: {
    Alert: Alert.extend({ styles: { message: { lineHeight: 'var(--mantine-line-height-sm)' } } }),
    Modal: Modal.extend({ defaultProps: labelledCloseButton }),
    Notification: Notification.extend({ defaultProps: labelledCloseButton }),
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
  },
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.6rem', lineHeight: '1.25' }, h2: { fontSize: '1.1rem' } },
  },
});

/** Replaces the background and text colors of a color's light variant, because Mantine's have too little contrast. */
function makeReadable(name: 'yellow' | 'orange' | 'green', background: string, text: string): MantineColorsTuple {
  const [first, , ...others] = DEFAULT_THEME.colors[name];
  return [first, background, ...others.slice(0, -1), text] as unknown as MantineColorsTuple;
}
