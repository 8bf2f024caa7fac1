import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '../errors.js';
import { grouped } from '../grouping.js';

/** Argon2id, the library's default, with the first configuration in OWASP's Password Storage Cheat Sheet. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of a random text. Checking against it makes an unknown address take as long as a known one. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$3H39b98nKfOiUV6O14bByA$ARphC0H1sUrmkWlcd32PrDk1vSwj7LUv8YgbJu3AnI4';

/** A hash takes 19 MiB and about 15 ms of a core, so a burst of logins could otherwise block the process. */
const MAX_HASHES_AT_ONCE = 2;
const MAX_WAITING_PASSWORDS = 64;

/** @throws Refusal unavailable when too many passwords are waiting, as does `verifyPassword` */
export async function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(canonical(password), COST));
}

/** @param passwordHash null when there is no such user; the result is then false, after the same time */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await inTurn(() => verify(passwordHash ?? DUMMY_HASH, canonical(password)));
  return matches && passwordHash !== null;
}

/** Some keyboards type a letter as one code point and others as two, so both must match. */
function canonical(password: string): string {
  return password.normalize('NFC');
}

const takeTurn = grouped(async ([work]: Array<() => Promise<unknown>>) => [await work?.()], {
  max: 1,
  inFlight: MAX_HASHES_AT_ONCE,
});
let waiting = 0;

async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting >= MAX_WAITING_PASSWORDS) throw new Refusal('unavailable');
  waiting += 1;
  try {
    return (await takeTurn(work)) as Result;
  } finally {
    waiting -= 1;
  }
}
