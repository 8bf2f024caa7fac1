import { type Cursor, readCursor } from '../../ui/cursor';

/** Without `version`: the current one. Without `against`: compared with the previous version. */
type VersionsSearch = Cursor & { version?: string | undefined; against?: 'current' | undefined };

export function readVersionsSearch(search: Record<string, unknown>): VersionsSearch {
  const { version, against } = search;
  return {
    ...readCursor(search),
    version: typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version) ? version : undefined,
    against: against === 'current' ? against : undefined,
  };
}
