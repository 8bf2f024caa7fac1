import { type TestWorkspace, until } from '@posthorn/testing';
import type { Rig } from './open-rig.js';

/** Sends one email from this workspace. @returns milliseconds from the 202 until a mail server has the email */
export async function timeSingleEmail(rig: Rig, { key }: TestWorkspace): Promise<number> {
  const request = rig.requestTo('ok', { authorization: `Bearer ${key}` });
  await rig.client.send(request);
  const startedAt = performance.now();
  await until('the single email is handed over', () => rig.handoffs().some(({ to }) => to[0] === request.to[0]));
  return performance.now() - startedAt;
}
