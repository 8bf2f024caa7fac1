import { type Cursor, readCursor } from '../../ui/cursor';

/** Without `version`, the current version is shown. Without `against`, it is compared with the previous one. */
type VersionsSearch = Cursor & { version?: string | undefined; against?: 'current' | undefined };

export function readVersionsSearch(search: Record<string, unknown>): VersionsSearch {
  const { version, against } = search;
  return {
    ...readCursor(search),
    version: typeof version === 'string' && /^[1-9]\d{0,8}$/.test(version) ? version : undefined,
    against: against === 'current' ? against : undefined,
  };
}
