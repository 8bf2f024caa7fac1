/**
 * Lua for a rate limit: a window of 60 seconds that slides by whole seconds, measured by Redis' clock. A hash holds
 * the count of each second that has requests (at most 60, whatever the limit), their total, and the oldest of those
 * seconds. Each window is read and written once per call, however many requests it counts.
 *
 * Defines `windowOf(name)`, whose result contains `total` and `oldest`; `countIn(window, count)`;
 * `resetSeconds(window)`; `secondsUntilRoom(window, limit, count)`; and `writeWindows()`, which a script calls last.
 */
export const RATE_WINDOW_SCRIPT = `
local WINDOW = 60
local now = tonumber(redis.call('TIME')[1])
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
  windows[rate] = { name = rate, total = total, oldest = oldest, added = 0 }
  return windows[rate]
end

local function countIn(window, count)
  window.total = window.total + count
  window.added = window.added + count
end

local function resetSeconds(window)
  return window.oldest + WINDOW - now
end

local function secondsUntilRoom(window, limit, count)
  local total, second = window.total, window.oldest
  while total > 0 and total + count > limit and second < now do
    total = total - tonumber(redis.call('HGET', window.name, second) or 0)
    second = second + 1
  end
  return math.max(1, second - 1 + WINDOW - now)
end

local function writeWindows()
  for rate, window in pairs(windows) do
    if window.added > 0 then redis.call('HINCRBY', rate, now, window.added) end
    redis.call('HSET', rate, 'total', window.total, 'oldest', window.oldest)
    redis.call('EXPIRE', rate, WINDOW + 1)
  end
end
`;
