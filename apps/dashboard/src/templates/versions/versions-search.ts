import { type Cursor, readCursor } from '../../ui/cursor';

/** `version` is absent for the current one, `against` for the version before. */
type VersionsSearch = Cursor & { version?: string | undefined; against?: 'current' | undefined };

export function readVersionsSearch(search: Record<string, unknown>): VersionsSearch {
  const { version, against } = search;
  return {
    ...readCursor(search),
    version: typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version) ? version : undefined,
    against: against === 'current' ? against : undefined,
  };
}
