declare module 'virtual:icon-shapes' {
  /** The path of each icon of icons.tsx. */
  const shapes: Readonly<Record<string, string>>;
  export default shapes;
}
