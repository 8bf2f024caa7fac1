import { formatCountOf } from '@posthorn/platform/values';

/** A value that the log may contain. */
export type AuditValue = string | number | boolean | null | readonly string[];

/**
 * A value that the log must not contain, because it is secret or long. It is compared with the other one, but only the
 * summary is written.
 */
export type Summarized = { readonly value: string; readonly summary: string };

/** The fields of what is changed, named as in the API. `undefined` counts as null. */
export type AuditedFields = Readonly<Record<string, AuditValue | Summarized | undefined>>;

/** The fields that changed. `from` is null for something new, and `to` is null for something deleted. */
export type Changes = Readonly<Record<string, { readonly from: AuditValue; readonly to: AuditValue }>>;

/**
 * @param before null for something new
 * @param after null for something deleted
 */
export function changesBetween(before: AuditedFields | null, after: AuditedFields | null): Changes {
  const names = Object.keys({ ...before, ...after });
  return Object.fromEntries(
    names.flatMap((name) => {
      const [from, to] = [before?.[name] ?? null, after?.[name] ?? null];
      return isSame(from, to) ? [] : [[name, { from: shown(from), to: shown(to) }]];
    }),
  );
}

/** @param text the content of a field whose size is enough for the log */
export function sizeOf(text: string): Summarized {
  return { value: text, summary: formatCountOf(text.length, 'character') };
}

function isSame(a: AuditValue | Summarized, b: AuditValue | Summarized): boolean {
  if (isSummarized(a) && isSummarized(b)) return a.value === b.value;
  return JSON.stringify(a) === JSON.stringify(b);
}

function shown(value: AuditValue | Summarized): AuditValue {
  return isSummarized(value) ? value.summary : value;
}

function isSummarized(value: AuditValue | Summarized): value is Summarized {
  return typeof value === 'object' && value !== null && 'summary' in value;
}
