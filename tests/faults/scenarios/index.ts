import type { Scenario } from '../../rig/scenario.js';
import { apiScenarios } from './api.js';
import { attachmentScenarios } from './attachments.js';
import { directScenarios } from './direct.js';
import { feedback } from './feedback.js';
import { longOutage } from './long-outage.js';
import { objectStore } from './object-store.js';
import { postgresScenarios } from './postgres.js';
import { failoverScenarios } from './postgres-failover.js';
import { raceScenarios } from './races.js';
import { redisScenarios } from './redis.js';
import { relayScenarios } from './relays.js';
import { routingScenarios } from './routing.js';
import { smtpScenarios } from './smtp.js';
import { storm } from './soak.js';
import { webhooks } from './webhooks.js';
import { workerScenarios } from './worker.js';

export const scenarios: readonly Scenario[] = [
  ...apiScenarios,
  ...attachmentScenarios,
  objectStore,
  ...workerScenarios,
  ...redisScenarios,
  ...postgresScenarios,
  ...failoverScenarios,
  ...smtpScenarios,
  ...relayScenarios,
  ...routingScenarios,
  ...directScenarios,
  ...raceScenarios,
  longOutage,
  webhooks,
  feedback,
  storm,
];
