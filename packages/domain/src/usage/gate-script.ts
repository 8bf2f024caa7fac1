/**
 * The gate as one atomic step in Redis, for any number of sends of one workspace: they are asked one
 * after the other. It changes nothing when a counter is missing ("cold"), and nothing twice for one
 * email id, so a command that was executed although its reply got lost may be sent again.
 *
 * Rate limit: a window of 60 clock seconds that slides by whole seconds, on Redis' own clock. The
 * hash holds one field per second that has sends, their total, and the oldest of those seconds; at
 * most 60 fields whatever the limit.
 *
 * What many sends share is a setting, and is named once.
 * KEYS of each setting: rate, month's counter, day's counter; then of each send: pass of its email id,
 *      which ends with the id, and where it has a fingerprint its idempotency key
 * ARGV: seconds that a key's lock is held, number of settings; of each setting: sends per minute, monthly
 *      cap or '', daily cap or ''; then of each send: number of its setting, sends to count (0: caps are
 *      not asked), fingerprint or ''
 * Returns for each send { verdict, remaining, reset, detail }
 */
export const GATE_SCRIPT = `
local WINDOW, PASS_SECONDS, ID_LENGTH = 60, 60, 36
local now = tonumber(redis.call('TIME')[1])

local keysTaken, argumentsTaken = 0, 0
local function key()
  keysTaken = keysTaken + 1
  return KEYS[keysTaken]
end
local function argument()
  argumentsTaken = argumentsTaken + 1
  return ARGV[argumentsTaken]
end

local LOCK_SECONDS = argument()

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

local function ask(setting, sends, fingerprint, pass, idempotency)
  local month, day = counterOf(setting.month), counterOf(setting.day)
  local function isCold(counter, cap)
    return sends > 0 and cap and not counter.used
  end
  if isCold(month, setting.monthlyCap) or isCold(day, setting.dailyCap) then return { 'cold', 0, 0, '' } end

  local window = windowOf(setting.rate)
  local repeated = not redis.call('SET', pass, 1, 'EX', PASS_SECONDS, 'NX')
  local function refuse(name, remaining, detail)
    if not repeated then redis.call('DEL', pass) end
    return { name, remaining, window.oldest + WINDOW - now, detail or '' }
  end
  if not repeated then
    if window.total + 1 > setting.limit then return refuse('rate_limited', 0) end
    window.total = window.total + 1
    window.added = window.added + 1
  end
  local remaining = setting.limit - window.total

  local id = pass:sub(-ID_LENGTH)
  if idempotency then
    local known = redis.call('HMGET', idempotency, 'fingerprint', 'answer', 'id')
    if known[1] and known[1] ~= fingerprint then return refuse('reused', remaining) end
    if known[2] then return refuse('replay', remaining, known[2]) end
    if known[3] and known[3] ~= id then return refuse('in_progress', remaining) end
  end

  if sends > 0 and not repeated then
    local function isOver(counter, cap)
      return cap and counter.used + sends > cap
    end
    if isOver(month, setting.monthlyCap) then return refuse('monthly_cap', remaining, tostring(month.used)) end
    if isOver(day, setting.dailyCap) then return refuse('daily_cap', remaining, tostring(day.used)) end
    -- Also one that no cap asks for now: it must be right when a plan is changed.
    for _, counter in ipairs({ month, day }) do
      if counter.used then
        counter.used = counter.used + sends
        counter.added = counter.added + sends
      end
    end
  end

  if idempotency and sends > 0 then
    redis.call('HSET', idempotency, 'fingerprint', fingerprint, 'id', id)
    redis.call('EXPIRE', idempotency, LOCK_SECONDS)
  end
  return { 'passed', remaining, window.oldest + WINDOW - now, '' }
end

local settings = {}
for setting = 1, tonumber(argument()) do
  settings[setting] = {
    rate = key(), month = key(), day = key(),
    limit = tonumber(argument()), monthlyCap = tonumber(argument()), dailyCap = tonumber(argument()),
  }
end
local replies = {}
while argumentsTaken < #ARGV do
  local setting, sends, fingerprint, pass = settings[tonumber(argument())], tonumber(argument()), argument(), key()
  replies[#replies + 1] = ask(setting, sends, fingerprint, pass, fingerprint ~= '' and key())
end
writeWindows()
writeCounters()
return replies
`;
