import type { AuditEntry } from '@posthorn/contract';

export function actorName({ type, label }: AuditEntry['actor']): string {
  switch (type) {
    case 'user':
      return label ?? 'A user';
    case 'api_key':
      return `API key ${label ?? ''}`.trim();
    case 'operator':
      return 'Operator';
    case 'system':
      return 'Posthorn';
    default:
      return type satisfies never;
  }
}
