export { type ApiDocument, type Exchange, parseApiDocument } from './api-document.js';
export { type DnsServer, startDnsServer } from './dns-server.js';
export { dumpPostgres, dumpRedis } from './dump-stores.js';
export { closeAtFileEnd, keepOpen } from './file-end.js';
export { countOpening } from './file-times.js';
export { getPercentile, readPeakResidentMb, readResidentMb } from './measurements.js';
export {
  closeTestContext,
  expectNoHeldConnections,
  openTestContext,
  type TestContextOptions,
} from './open-test-context.js';
export { type ForkedProgram, forkProgram, runOlderPosthorn } from './programs.js';
export {
  always,
  cut,
  drip,
  type Fault,
  first,
  goOnAfter,
  type Moment,
  type RawMessage,
  type RawSmtpServer,
  type Reaction,
  say,
  sayAndCut,
  silence,
  startRawSmtpServer,
} from './raw-smtp-server.js';
export {
  type Authentication,
  buildKeyRecord,
  createReceiver,
  listPublishedRecords,
  type ZoneRecord,
} from './receiver.js';
export { type ClusterDeployment, type ClusterNode, startCluster } from './redis-cluster.js';
export { NODE_CERTIFICATE, type RedisNode } from './redis-node.js';
export { type SentinelDeployment, startSentinels } from './redis-sentinels.js';
export { listS3Objects, type S3Server, startS3Server } from './s3-server.js';
export {
  type ReceivedMessage,
  type SmtpReply,
  type SmtpSink,
  type SmtpSinkOptions,
  startSmtpSink,
} from './smtp-sink.js';
export { createTestWorkspace, type TestWorkspace } from './test-data.js';
export { toDatabaseUrl } from './test-database.js';
export { closeAtRunEnd } from './test-run.js';
export { TimeLimitError, until, untilWaiting } from './until.js';
