import { RATE_WINDOW_SCRIPT } from '@posthorn/domain/throttles';

/**
 * The admission check as one atomic step in Redis. It checks any number of requests from one workspace, one after the
 * other. It changes nothing for a request whose usage counter is missing ("counters_missing").
 *
 * Limits that several requests share are passed only once, as a setting.
 * KEYS: for each setting, its rate window, the month's counter and the day's counter; then the idempotency key of each
 * request that has one
 * ARGV: an `AdmissionScriptInput` as JSON
 * Returns `AdmissionReply[]` as JSON, one for each request
 */
export const ADMISSION_SCRIPT = `${RATE_WINDOW_SCRIPT}
local input = cjson.decode(ARGV[1])

local keysTaken = 0
local function key()
  keysTaken = keysTaken + 1
  return KEYS[keysTaken]
end

-- Each counter is read and written once per call, however many requests it counts.
local counters = {}

-- The field "used" is nil if the counter is not in Redis.
local function counterOf(name)
  counters[name] = counters[name] or { used = tonumber(redis.call('GET', name) or nil), added = 0 }
  return counters[name]
end

local function writeCounters()
  for name, counter in pairs(counters) do
    if counter.added > 0 then redis.call('INCRBY', name, counter.added) end
  end
end

local function check(setting, emails, sends, fingerprint, idempotency)
  local month, day = counterOf(setting.month), counterOf(setting.day)
  local function isMissing(counter, cap)
    return sends > 0 and cap and not counter.used
  end
  if isMissing(month, setting.monthlyCap) or isMissing(day, setting.dailyCap) then return { 'counters_missing', 0, 0, '' } end

  local window = windowOf(setting.rate)
  local function reply(decision, detail)
    return { decision, math.max(0, setting.limit - window.total), resetSeconds(window), detail or '' }
  end
  -- Otherwise, a batch that is larger than the limit could never pass.
  local isOnlyBatch = emails > 1 and window.total == 0
  if window.total + emails > setting.limit and not isOnlyBatch then
    return reply('rate_limited', tostring(secondsUntilRoom(window, setting.limit, emails)))
  end
  countIn(window, emails)

  if fingerprint then
    local known = redis.call('HMGET', idempotency, 'fingerprint', 'stored')
    if known[1] and known[1] ~= fingerprint then return reply('key_reused') end
    if known[2] then return reply('stored') end
    if known[1] then return reply('in_progress') end
  end

  if sends > 0 then
    local function isOver(counter, cap)
      return cap and counter.used + sends > cap
    end
    if isOver(month, setting.monthlyCap) then return reply('monthly_cap', tostring(month.used)) end
    if isOver(day, setting.dailyCap) then return reply('daily_cap', tostring(day.used)) end
    -- Counters without a cap are incremented too, so that they are correct if the plan changes.
    for _, counter in ipairs({ month, day }) do
      if counter.used then
        counter.used = counter.used + sends
        counter.added = counter.added + sends
      end
    end
    if fingerprint then
      redis.call('HSET', idempotency, 'fingerprint', fingerprint)
      redis.call('EXPIRE', idempotency, input.lockSeconds)
    end
  end
  return reply('admitted')
end

for _, setting in ipairs(input.settings) do
  setting.rate, setting.month, setting.day = key(), key(), key()
end
local replies = {}
for position, request in ipairs(input.requests) do
  local setting, emails, sends, fingerprint = input.settings[request[1]], request[2], request[3], request[4]
  replies[position] = check(setting, emails, sends, fingerprint, fingerprint and key())
end
writeWindows()
writeCounters()
return cjson.encode(replies)
`;
