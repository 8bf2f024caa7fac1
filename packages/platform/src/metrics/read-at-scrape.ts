import { setTimeout as sleep } from 'node:timers/promises';
import { createCachedRead } from '@posthorn/platform/batching';
import { Counter, Gauge, type Registry } from 'prom-client';

/** If a server hangs, the other metrics must not wait for it. */
const MAX_WAIT_MS = 3_000;

/** Lets several gauges share one read, and scrapes too. @returns null while the read fails or takes too long */
export function createSharedRead<T>(read: () => Promise<T>, cachedMs: number): () => Promise<T | null> {
  const readCached = createCachedRead(read, cachedMs);
  return () => Promise.race([readCached().catch(() => null), sleep(MAX_WAIT_MS, null, { ref: false })]);
}

/** The values of a gauge: one number, or one number for each value of its label. */
export type GaugeValues = number | Readonly<Record<string, number>>;

/**
 * Adds a gauge that is read when it is scraped.
 * @param read returns null if the value is unknown, so that the gauge is left out
 */
export function addReadGauge(
  registry: Registry,
  { name, help, label }: { readonly name: string; readonly help: string; readonly label?: string },
  read: () => GaugeValues | null | Promise<GaugeValues | null>,
): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      const values = await read();
      if (label === undefined) this.remove();
      else this.reset();
      if (typeof values === 'number') this.set(values);
      else for (const [value, number] of Object.entries(values ?? {})) this.set({ [label ?? '']: value }, number);
    },
  });
}

/** The labels and the value of one line. */
export type CounterLine = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Adds a counter that is kept elsewhere and read when it is scraped. */
export function addReadCounter(
  registry: Registry,
  { name, help, labels }: { readonly name: string; readonly help: string; readonly labels: readonly string[] },
  read: () => readonly CounterLine[],
): void {
  new Counter({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, value] of read()) this.inc(values, value);
    },
  });
}
