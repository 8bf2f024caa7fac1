import { createAllowedNetworks, describeSpecialAddress, isLoopback } from '../../src/network/special-addresses.js';

test.each([
  ['192.0.2.1', 'a reserved address'],
  ['10.0.0.5', 'a private address'],
  ['::ffff:10.0.0.5', 'a private address'],
  ['64:ff9b::a00:5', 'a NAT64 address'],
  ['fd00::1', 'a private address'],
  ['fe80::1', 'a link-local address'],
  ['127.0.0.1', 'a loopback address'],
  ['0.0.0.0', 'an unspecified address'],
  ['168.63.129.16', "the address of a cloud provider's metadata service"],
  ['8.8.8.8', null],
  ['2606:4700:4700::1111', null],
])('what the address %s is: %s', (address, description) => {
  expect(describeSpecialAddress(address)).toBe(description);
});

test.each([
  ['127.0.0.1', true],
  ['127.5.6.7', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', true],
  ['::', true],
  ['10.0.0.5', false],
  ['8.8.8.8', false],
])('whether a connection to %s ends at this machine: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});

test('an allowed NAT64 network does not allow the private networks behind it', () => {
  const isAllowed = createAllowedNetworks(['64:ff9b::/96', '10.1.0.0/16']);
  const addresses = ['64:ff9b::808:808', '64:ff9b::a01:5', '64:ff9b::a00:5', '10.1.2.3', '::ffff:10.1.2.3', '10.2.0.1'];
  expect(addresses.map(isAllowed)).toEqual([true, true, false, true, true, false]);
});
