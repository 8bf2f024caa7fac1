import type { Log } from '@posthorn/platform/logs';

export type Warning = { readonly event: string; readonly emailId?: string };

const ignore = () => {};

/** A log that keeps its warnings and errors in `warnings`. */
export function warningLog(): Log & { readonly warnings: Warning[] } {
  const warnings: Warning[] = [];
  const keep = (fields: object, event: string) => void warnings.push({ ...fields, event });
  return { warnings, debug: ignore, info: ignore, warn: keep, error: keep };
}
