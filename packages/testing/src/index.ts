export { createTestWorkspace, type TestWorkspace } from './create-test-workspace.js';
export { type DnsServer, startDnsServer } from './dns-server.js';
export { closeTestContext, openTestContext, type TestContextOptions } from './open-test-context.js';
export {
  type ReceivedMessage,
  type SmtpReply,
  type SmtpSink,
  type SmtpSinkOptions,
  startSmtpSink,
} from './smtp-sink.js';
