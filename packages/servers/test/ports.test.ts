import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { findFreePort } from '@posthorn/servers';

async function listenOn(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((resolve) => server.close(resolve)) };
}

test('a server can listen on the returned port', async () => {
  const server = await listenOn(await findFreePort());
  await server.close();
});

test('no port is returned twice, even if nothing listens there yet', async () => {
  const ports = new Set<number>();
  for (let calls = 0; calls < 1_000; calls += 1) ports.add(await findFreePort());
  expect(ports.size).toBe(1_000);
});

test('no port is returned that an outgoing connection could take before its server listens', async () => {
  for (let calls = 0; calls < 100; calls += 1) expect(await findFreePort()).toBeLessThan(32_768);
});

test('the preferred port is used if it is free', async () => {
  const port = await findFreePort();
  expect(await findFreePort(port)).toBe(port);
});

test('a higher port is used if the preferred one is in use', async () => {
  const server = await listenOn(0);
  expect(await findFreePort(server.port)).toBeGreaterThan(server.port);
  await server.close();
});

test('a port that is in use on all interfaces is not free', async () => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await findFreePort(port)).not.toBe(port);
  await new Promise((resolve) => server.close(resolve));
});
