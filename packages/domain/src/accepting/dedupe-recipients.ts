import { type Address, addressKey } from '@posthorn/domain/format';

type Kind = 'to' | 'cc' | 'bcc';

/** The recipients that were left out because they occur earlier. */
export class Duplicates {
  readonly count: number;

  /** @param positions for each list, where the duplicates were, in ascending order */
  constructor(readonly positions: Readonly<Record<Kind, readonly number[]>>) {
    this.count = positions.to.length + positions.cc.length + positions.bcc.length;
  }

  /** The fingerprint of a request contains only how many there were. */
  toJSON(): number {
    return this.count;
  }
}

/** Each address once. `duplicates` is undefined if there were none. */
export type Recipients = Record<Kind, Address[]> & { readonly duplicates: Duplicates | undefined };

/** Keeps only the first occurrence of each address, in the order to, cc, bcc. */
export function dedupeRecipients({ to, cc, bcc }: Readonly<Record<Kind, readonly Address[]>>): Recipients {
  const seen = new Set<string>();
  const positions: Record<Kind, number[]> = { to: [], cc: [], bcc: [] };
  const keep = (addresses: readonly Address[], removed: number[]) =>
    addresses.filter(({ address }, position) => {
      const key = addressKey(address);
      const isNew = !seen.has(key);
      if (isNew) seen.add(key);
      else removed.push(position);
      return isNew;
    });
  const kept = { to: keep(to, positions.to), cc: keep(cc, positions.cc), bcc: keep(bcc, positions.bcc) };
  const duplicates = new Duplicates(positions);
  return { to: kept.to, cc: kept.cc, bcc: kept.bcc, duplicates: duplicates.count === 0 ? undefined : duplicates };
}

/**
 * Where the client gave a recipient, so that a fault can name its field.
 * @param index its position in the list without duplicates
 */
export function givenPosition(kind: Kind, index: number, duplicates: Duplicates | undefined): number {
  const removed = duplicates?.positions[kind] ?? [];
  return removed.reduce((position, at) => (at <= position ? position + 1 : position), index);
}
