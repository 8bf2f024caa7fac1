export { type ApiDocument, type Exchange, openApiDocument } from './api-document.js';
export { createTestWorkspace, type TestWorkspace } from './create-test-workspace.js';
export { type DnsServer, startDnsServer } from './dns-server.js';
export { dumpPostgres, dumpRedis } from './dump-stores.js';
export { atFileEnd } from './file-end.js';
export { countOpening } from './file-times.js';
export { keepOpen } from './open-handles.js';
export {
  closeTestContext,
  expectNoHeldConnections,
  openTestContext,
  type TestContextOptions,
} from './open-test-context.js';
export { percentile } from './percentile.js';
export {
  always,
  cut,
  drip,
  type Fault,
  first,
  type Moment,
  type RawMessage,
  type RawSmtpServer,
  type Reaction,
  say,
  sayAndCut,
  silence,
  startRawSmtpServer,
} from './raw-smtp-server.js';
export { type Authentication, keyRecord, openReceiver, publishedZone, type ZoneRecord } from './receiver.js';
export { type ClusterDeployment, type ClusterNode, startCluster } from './redis/start-cluster.js';
export { NODE_CERTIFICATE, type RedisNode } from './redis/start-redis-node.js';
export { type SentinelDeployment, startSentinels } from './redis/start-sentinels.js';
export { peakResidentMb, residentMb } from './resident-memory.js';
export { atRunEnd } from './run-end.js';
export { runPosthornOf } from './run-posthorn-of.js';
export { listS3Objects, type S3Server, startS3Server } from './s3-server.js';
export {
  type ReceivedMessage,
  type SmtpReply,
  type SmtpSink,
  type SmtpSinkOptions,
  startSmtpSink,
} from './smtp-sink.js';
export { inDatabase } from './test-database.js';
export { until } from './until.js';
export { untilWaiting } from './until-waiting.js';
