import { type Scope, scopes } from '@posthorn/contract';
import { type Access, contentOfEmails, keysThat, listScopes } from '../routing/access.js';
import type { Route } from '../routing/route.js';
import type { Section } from './section.js';
import { withBraces } from './with-braces.js';

/** A table of the endpoints that a key with each scope can call, and the email fields that it can read. */
export function accessSection(routes: readonly Route[]): Section {
  const rowOf = (name: string, opens: (access: Access) => boolean, fields: string) => ({
    cells: [
      name,
      routes
        .filter(({ access }) => opens(access))
        .map(nameOf)
        .join(', ') || 'none yet',
      fields,
    ],
  });
  return {
    id: 'scopes',
    title: 'Scopes',
    blocks: [
      {
        paragraph:
          'A key can call the endpoints listed for its scopes. Sessions need no scope and see every field. Endpoints that are not in this table need a session, or no credential at all.',
      },
      {
        head: ['Scope of a key', 'Endpoints', 'Fields of an email'],
        rows: [
          ...scopes.map((scope) =>
            rowOf(`\`${scope}\``, (access) => listScopes(access)?.includes(scope) ?? false, fieldsFor(scope)),
          ),
          rowOf('any', (access) => access === 'any', 'none'),
        ],
      },
    ],
  };
}

function nameOf({ method, path }: Route): string {
  return `\`${method.toUpperCase()} ${withBraces(path)}\``;
}

function fieldsFor(scope: Scope): string {
  const hidden = contentOfEmails.fields.map((field) => `\`${field}\``).join(', ');
  if (scope === contentOfEmails.scope) return 'all';
  const readers: readonly Scope[] = keysThat.readEmails;
  return readers.includes(scope) ? `all but ${hidden}, which are null` : 'none';
}
