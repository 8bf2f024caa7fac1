/** Prints rows as aligned columns. */
export function printTable(rows: ReadonlyArray<Readonly<Record<string, string | number>>>): void {
  const names = Object.keys(rows[0] ?? {});
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => String(row[name] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  ');
  process.stdout.write(`${line(names)}\n`);
  for (const row of rows) process.stdout.write(`${line(names.map((name) => String(row[name] ?? '')))}\n`);
  process.stdout.write('\n');
}
