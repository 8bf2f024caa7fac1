import { limits } from '@posthorn/domain/limits';
import { createPeerLimits } from '../src/peer-limits.js';

test('the messages of a network in a minute are limited, and IPv6 addresses of one /64 are one network', () => {
  const peers = createPeerLimits();
  for (let count = 0; count < limits.inboundMessages.max; count += 1) {
    peers.assertBelowLimits('2001:db8:1:2::1');
    peers.countMessage(`2001:db8:1:2::${(count % 1_000) + 1}`);
  }
  expect(() => peers.assertBelowLimits('2001:db8:1:2:3::4')).toThrow(
    expect.objectContaining({
      responseCode: 450,
      message: expect.stringMatching(
        /^4\.7\.0 You reached the limit of 3,000 messages from one network in 60 seconds\. /,
      ),
    }),
  );
  peers.assertBelowLimits('2001:db8:1:3::1');
  peers.assertBelowLimits('192.0.2.1');
});

test('a network below the limit may send one message of any size, and waits after that', () => {
  const peers = createPeerLimits();
  peers.countBytes('192.0.2.1', limits.inboundBytes.max - 1);
  peers.assertBelowLimits('192.0.2.1');
  peers.countBytes('::ffff:192.0.2.1', limits.reportBytes.max);
  expect(() => peers.assertBelowLimits('192.0.2.1')).toThrow('60,000,000 bytes from one network');
});
