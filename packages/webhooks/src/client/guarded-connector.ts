import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type CheckedHost, type HostRefusal, hostOf, type ReceiverGuard } from '../guard/receiver-guard.js';
import { HostRefused } from './describe-failure.js';

/**
 * How long to wait for one address of a host before the next one. Node's default of 250 ms is too short for receivers
 * on other continents.
 */
const ADDRESS_TIMEOUT_MS = 3_000;

/**
 * Opens connections only to addresses that the guard has checked. The check happens inside the lookup of the
 * connection, so no second lookup can give another address. TLS still sees the name.
 */
export function guardedConnector(
  guard: ReceiverGuard,
  { url, timeoutMs }: { url: URL; timeoutMs: number },
): buildConnector.connector {
  const check = () => guard.check(url);
  const refused = (refusal: HostRefusal) => new HostRefused(describeRefusal(url, refusal));
  const lookup: LookupFunction = (_, { all }, callback) => {
    const answer = (checked: CheckedHost) => {
      const [first] = 'addresses' in checked ? checked.addresses : [];
      if ('reason' in checked) callback(refused(checked), '');
      else if (all) callback(null, checked.addresses);
      else callback(null, first?.address ?? '', first?.family);
    };
    check().then(answer, (error: Error) => callback(error, ''));
  };
  const connect = buildConnector({
    lookup,
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  });
  // Node does not call `lookup` for IP addresses.
  if (isIP(hostOf(url)) === 0) return connect;
  return (options, callback) => {
    check().then(
      (checked) => ('reason' in checked ? callback(refused(checked), null) : connect(options, callback)),
      (error: Error) => callback(error, null),
    );
  };
}

function describeRefusal({ hostname }: URL, { kind, reason }: HostRefusal): string {
  const isName = isIP(hostOf({ hostname })) === 0;
  return isName && kind !== 'https' ? `${hostname} ${reason}` : `The URL ${reason}`;
}
