import { Refusal } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { assertBelowLimit, countInProcess, type WindowContext, type WindowLimit } from '@posthorn/domain/throttles';
import { toClientNetwork } from '@posthorn/platform/network';
import { SmtpRefusal } from './smtp-refusal.js';

const WINDOW_SECONDS = 60;

const messages: WindowLimit = {
  limit: limits.inboundMessages.max,
  windowSeconds: WINDOW_SECONDS,
  what: 'messages from one network',
};
const bytes: WindowLimit = {
  limit: limits.inboundBytes.max,
  windowSeconds: WINDOW_SECONDS,
  what: 'bytes from one network',
};

export type PeerLimits = {
  /** @throws SmtpRefusal if the peer's network has sent too much. A server sends the message again later */
  assertBelowLimits(remoteAddress: string): void;
  countMessage(remoteAddress: string): void;
  countBytes(remoteAddress: string, count: number): void;
};

/** Counts what each network sends to this process, so that none can fill the disk and the queue by itself. */
export function createPeerLimits(): PeerLimits {
  const ctx: WindowContext = { windows: { fixed: new Map() } };
  return {
    assertBelowLimits(remoteAddress) {
      const network = toClientNetwork(remoteAddress);
      try {
        for (const limit of [messages, bytes]) assertBelowLimit(ctx, limit, network);
      } catch (error) {
        if (error instanceof Refusal) throw new SmtpRefusal(450, `4.7.0 ${error.message}`);
        throw error;
      }
    },
    countMessage: (remoteAddress) => countInProcess(ctx, messages, toClientNetwork(remoteAddress)),
    countBytes: (remoteAddress, count) => countInProcess(ctx, bytes, toClientNetwork(remoteAddress), count),
  };
}
