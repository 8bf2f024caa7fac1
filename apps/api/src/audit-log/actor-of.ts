import type { Actor } from '@posthorn/domain/audit-log';
import { ipAddressOf } from '../http/client-address.js';
import type { RouteRequest } from '../route.js';

/** The user or API key that makes a request, as the audit log names it. */
export function actorOf({ caller, request }: Pick<RouteRequest, 'caller' | 'request'>): Actor {
  const ip = ipAddressOf(request);
  if (caller.kind === 'key') return { type: 'api_key', id: caller.id, label: caller.name, ip };
  return { type: 'user', id: caller.user.id, label: caller.user.email, ip };
}
