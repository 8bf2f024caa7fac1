/**
 * The gate as one atomic step in Redis, for any number of sends of one workspace: they are asked one
 * after the other. It changes nothing when a counter is missing ("cold"), and nothing twice for one
 * email id, so a command that was executed although its reply got lost may be sent again.
 *
 * Rate limit: a window of 60 clock seconds that slides by whole seconds, on Redis' own clock. The
 * hash holds one field per second that has sends, their total, and the oldest of those seconds; at
 * most 60 fields whatever the limit.
 *
 * KEYS of each send: 1 rate, 2 idempotency, 3 month's counter, 4 day's counter, 5 pass of its email id
 * ARGV of each send: 1 sends per minute, 2 email id, 3 fingerprint or '', 4 sends to count (0: caps are
 *      not asked), 5 monthly cap or '', 6 daily cap or ''; last of all the seconds that a key's lock is held
 * Returns for each send { verdict, remaining, reset, detail }
 */
export const GATE_SCRIPT = `
local WINDOW, PASS_SECONDS, LOCK_SECONDS = 60, 60, ARGV[#ARGV]
local now = tonumber(redis.call('TIME')[1])

-- One window is read and written once, however many sends of this call count in it.
local windows = {}

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

local function writeWindows()
  for rate, window in pairs(windows) do
    if window.added > 0 then redis.call('HINCRBY', rate, now, window.added) end
    redis.call('HSET', rate, 'total', window.total, 'oldest', window.oldest)
    redis.call('EXPIRE', rate, WINDOW + 1)
  end
end

local function ask(rate, idempotency, month, day, pass, limit, id, fingerprint, sends, monthlyCap, dailyCap)
  local function isCold(counter, cap)
    return sends > 0 and cap and redis.call('EXISTS', counter) == 0
  end
  if isCold(month, monthlyCap) or isCold(day, dailyCap) then return { 'cold', 0, 0, '' } end

  local window = windowOf(rate)
  local repeated = redis.call('EXISTS', pass) == 1
  if not repeated then
    if window.total + 1 > limit then return { 'rate_limited', 0, window.oldest + WINDOW - now, '' } end
    window.total = window.total + 1
    window.added = window.added + 1
  end

  local function verdict(name, detail)
    return { name, limit - window.total, window.oldest + WINDOW - now, detail or '' }
  end

  if fingerprint ~= '' then
    local known = redis.call('HMGET', idempotency, 'fingerprint', 'answer', 'id')
    if known[1] and known[1] ~= fingerprint then return verdict('reused') end
    if known[2] then return verdict('replay', known[2]) end
    if known[3] and known[3] ~= id then return verdict('in_progress') end
  end

  if sends > 0 and not repeated then
    local function isOver(counter, cap)
      return cap and tonumber(redis.call('GET', counter)) + sends > cap
    end
    if isOver(month, monthlyCap) then return verdict('monthly_cap', redis.call('GET', month)) end
    if isOver(day, dailyCap) then return verdict('daily_cap', redis.call('GET', day)) end
    -- Also one that no cap asks for now: it must be right when a plan is changed.
    for _, counter in ipairs({ month, day }) do
      if redis.call('EXISTS', counter) == 1 then redis.call('INCRBY', counter, sends) end
    end
  end

  if fingerprint ~= '' and sends > 0 then
    redis.call('HSET', idempotency, 'fingerprint', fingerprint, 'id', id)
    redis.call('EXPIRE', idempotency, LOCK_SECONDS)
  end
  redis.call('SET', pass, 1, 'EX', PASS_SECONDS)
  return verdict('passed')
end

local replies = {}
for send = 1, #KEYS / 5 do
  local key, arg = (send - 1) * 5, (send - 1) * 6
  replies[send] = ask(KEYS[key + 1], KEYS[key + 2], KEYS[key + 3], KEYS[key + 4], KEYS[key + 5],
    tonumber(ARGV[arg + 1]), ARGV[arg + 2], ARGV[arg + 3],
    tonumber(ARGV[arg + 4]), tonumber(ARGV[arg + 5]), tonumber(ARGV[arg + 6]))
end
writeWindows()
return replies
`;
