import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** From paper to the blue of an old postal sign; white on `6` and darker has a contrast above 4.5. */
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

export const theme = createTheme({
  colors: { ink },
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
