import { createNetworkMatcher } from '@posthorn/platform/network';

describe('createNetworkMatcher', () => {
  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['192.0.2.7/32', '192.0.2.8', false],
    ['0.0.0.0/0', '192.0.2.8', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '192.0.2.8', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['0:0:0:0:0:ffff:a00:0/104', '10.1.2.3', true],
  ])('%s, %s: %s', (network, address, isInside) => {
    expect(createNetworkMatcher([network])(address)).toBe(isInside);
  });

  test('an address is inside if it is in any of the networks, and never without one', () => {
    expect(createNetworkMatcher(['192.0.2.7/32', 'fd00::/8'])('fd12::1')).toBe(true);
    expect(createNetworkMatcher([])('192.0.2.7')).toBe(false);
  });
});
