import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { startDnsServer } from '@posthorn/testing';
import { createDns } from '../../src/network/dns.js';

describe('a DNS query fails', () => {
  test('if no resolver is listening', async () => {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const { port } = socket.address();
    socket.close();
    await once(socket, 'close');
    const dns = createDns({ dnsServers: [`127.0.0.1:${port}`] });
    const answers = await Promise.all([dns.txt('a.test'), dns.mx('a.test')]);
    dns.close();
    expect(answers).toEqual([{ failure: 'no resolver could be reached' }, { failure: 'no resolver could be reached' }]);
  });

  test('if it is canceled', async () => {
    const server = await startDnsServer();
    server.failAll('silence');
    const dns = createDns({ dnsServers: [server.address] });
    const answers = Promise.all([dns.txt('a.test'), dns.mx('a.test')]);
    dns.close();
    expect(await answers).toEqual([
      { failure: 'no resolver answered in time' },
      { failure: 'no resolver answered in time' },
    ]);
    await server.close();
  });
});
