import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What arrived at the target of an attack. */
export type TargetReport = {
  readonly port: number;
  readonly posts: number;
  /** In the second that had most. */
  readonly mostPerSecond: number;
  readonly mostConnections: number;
};

/** An HTTP server on all loopback addresses, which `runWebhookAttacks` starts. The argument is how long answers take. */
const answerMs = Number(process.argv[2]);
const perSecond = new Map<number, number>();
let [posts, connections, mostConnections] = [0, 0, 0];

const server = createServer((request, response) => {
  const second = Math.floor(Date.now() / 1_000);
  posts += 1;
  perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  request.resume();
  setTimeout(() => response.end(), answerMs);
});
server.on('connection', (socket) => {
  connections += 1;
  mostConnections = Math.max(mostConnections, connections);
  socket.on('close', () => {
    connections -= 1;
  });
});
server.listen(0, '0.0.0.0');

process.on('message', () => {
  const { port } = server.address() as AddressInfo;
  const report: TargetReport = { port, posts, mostPerSecond: Math.max(0, ...perSecond.values()), mostConnections };
  process.send?.(report);
});
process.once('disconnect', () => process.exit());
