export {
  addRelay,
  type RelayChange,
  registerServers,
  removeRelay,
  setRelayPaused,
  updateRelay,
} from './change-relays.js';
export { addRoute, formatVia, removeRoute } from './change-routes.js';
export {
  type FeedbackRelay,
  type FeedbackState,
  findFeedbackRelay,
  hasSentBetween,
  pinTopic,
  readFeedbackState,
  recordFeedbackEvent,
  recordFeedbackRefusal,
} from './feedback-store.js';
export {
  EXPECTED_RATE,
  EXPECTED_SOURCE,
  EXPECTED_VIA,
  EXPECTED_WARM_UP,
  formatRate,
  parseRate,
  parseSource,
  parseVia,
  parseWarmUp,
} from './parse-settings.js';
export { isServerName, type Rate, type Relay, type Source, toServerName } from './relay.js';
export {
  deleteRemovedRelays,
  findRelayByName,
  listRelayAddresses,
  noteRelayTrouble,
  readRelays,
  type SealedRelay,
} from './relay-store.js';
export {
  decideRoute,
  listRelaysFor,
  type MailFacts,
  type Route,
  type RouteDecision,
  type RoutingTable,
} from './route.js';
export { readRoutes } from './route-store.js';
export { type Routing, readRouting, readRoutingVersion } from './routing-store.js';
export {
  keepSessions,
  reserveTurns,
  returnSession,
  SESSION_LEASE_MS,
  takeSession,
  toIntervalUs,
} from './shared-limit-store.js';
export { beginSlowDown, endSlowDown, findSlowDown, type SlowDownState } from './slow-down-store.js';
export { readWarmUpDay, returnWarmUp, takeWarmUp } from './warm-up-store.js';
