/**
 * The gate as one atomic step in Redis, for any number of sends of one workspace: they are asked one
 * after the other. It changes nothing where a counter is missing ("cold").
 *
 * Rate limit: a window of 60 clock seconds that slides by whole seconds, on Redis' own clock. The
 * hash holds one field per second that has sends, their total, and the oldest of those seconds; at
 * most 60 fields whatever the limit.
 *
 * What many sends share is a setting, and is named once.
 * KEYS of each setting: rate, month's counter, day's counter; then the idempotency key of each send that
 *      has a claim
 * ARGV: a `GateQuestion` as JSON
 * Returns `GateReply[]` as JSON, one for each send
 */
export const GATE_SCRIPT = `
local WINDOW = 60
local now = tonumber(redis.call('TIME')[1])
local question = cjson.decode(ARGV[1])

local keysTaken = 0
local function key()
  keysTaken = keysTaken + 1
  return KEYS[keysTaken]
end

-- Windows and counters are read and written once, however many sends of this call count in them.
local windows, counters = {}, {}

local function windowOf(rate)
  if windows[rate] then return windows[rate] end
  local stored = redis.call('HMGET', rate, 'total', 'oldest')
  local total, oldest = tonumber(stored[1] or 0), tonumber(stored[2] or now)
  while total > 0 and oldest <= now do
    local count = tonumber(redis.call('HGET', rate, oldest) or 0)
    if count > 0 and oldest > now - WINDOW then break end
    if count > 0 then redis.call('HDEL', rate, oldest) end
    total = total - count
    oldest = oldest + 1
  end
  if total == 0 then oldest = now end
  windows[rate] = { total = total, oldest = oldest, added = 0 }
  return windows[rate]
end

-- One that is not loaded has no number.
local function counterOf(name)
  counters[name] = counters[name] or { used = tonumber(redis.call('GET', name) or nil), added = 0 }
  return counters[name]
end

local function writeWindows()
  for rate, window in pairs(windows) do
    if window.added > 0 then redis.call('HINCRBY', rate, now, window.added) end
    redis.call('HSET', rate, 'total', window.total, 'oldest', window.oldest)
    redis.call('EXPIRE', rate, WINDOW + 1)
  end
end

local function writeCounters()
  for name, counter in pairs(counters) do
    if counter.added > 0 then redis.call('INCRBY', name, counter.added) end
  end
end

local function ask(setting, sends, fingerprint, idempotency)
  local month, day = counterOf(setting.month), counterOf(setting.day)
  local function isCold(counter, cap)
    return sends > 0 and cap and not counter.used
  end
  if isCold(month, setting.monthlyCap) or isCold(day, setting.dailyCap) then return { 'cold', 0, 0, '' } end

  local window = windowOf(setting.rate)
  local function answer(verdict, detail)
    return { verdict, math.max(0, setting.limit - window.total), window.oldest + WINDOW - now, detail or '' }
  end
  if window.total + 1 > setting.limit then return answer('rate_limited') end
  window.total = window.total + 1
  window.added = window.added + 1

  if fingerprint then
    local known = redis.call('HMGET', idempotency, 'fingerprint', 'answer')
    if known[1] and known[1] ~= fingerprint then return answer('reused') end
    if known[2] then return answer('replay', known[2]) end
    if known[1] then return answer('in_progress') end
  end

  if sends > 0 then
    local function isOver(counter, cap)
      return cap and counter.used + sends > cap
    end
    if isOver(month, setting.monthlyCap) then return answer('monthly_cap', tostring(month.used)) end
    if isOver(day, setting.dailyCap) then return answer('daily_cap', tostring(day.used)) end
    -- Also one that no cap asks for now: it must be right when a plan is changed.
    for _, counter in ipairs({ month, day }) do
      if counter.used then
        counter.used = counter.used + sends
        counter.added = counter.added + sends
      end
    end
    if fingerprint then
      redis.call('HSET', idempotency, 'fingerprint', fingerprint)
      redis.call('EXPIRE', idempotency, question.lockSeconds)
    end
  end
  return answer('passed')
end

for _, setting in ipairs(question.settings) do
  setting.rate, setting.month, setting.day = key(), key(), key()
end
local replies = {}
for position, send in ipairs(question.sends) do
  local setting, sends, fingerprint = question.settings[send[1]], send[2], send[3]
  replies[position] = ask(setting, sends, fingerprint, fingerprint and key())
end
writeWindows()
writeCounters()
return cjson.encode(replies)
`;
