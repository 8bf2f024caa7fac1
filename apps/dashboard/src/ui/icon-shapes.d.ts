declare module 'virtual:icon-shapes' {
  /** The paths of each icon of icons.tsx. */
  const shapes: Readonly<Record<string, readonly string[]>>;
  export default shapes;
}
