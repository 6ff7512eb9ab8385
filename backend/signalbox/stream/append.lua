-- Appends one run's batch to its conversation's log, or says why not. All or nothing, idempotent.
-- KEYS  1 meta hash, 2 stream (same hash tag)
-- ARGV  1 run, 2 fence, 3 number of the first event within the run's attempt (0: close the run, whatever came before),
--       4 epoch the writer knows ('' on its first batch), 5 epoch to use if a new one is needed,
--       6 floor epoch, 7 floor offset (what the store knows was handed out before this run),
--       8 max length, 9 data ttl s, 10 meta ttl s, 11 wake channel, 12 '1' if the last event ends the run, '2' if it says that the run waits,
--       '3' if it ends the run and 'retracted' is among them: of a run that has its end already only that is said, once,
--       then type, data for each event; none at all takes the run over: older fences are refused from then on
-- Meta  e epoch ('deleted': the conversation is gone, nobody may write), o last offset, r:<run> = fence|events seen|first offset|offset of complete (0: none)|1 if that was no end but a wait, 2 if 'retracted' was said
-- Reply {'ok', epoch, first new, last, the run's first} | {'done', epoch, offset of complete} | {'fenced'} | {'lost'}
local meta, stream = KEYS[1], KEYS[2]
local fence, number = tonumber(ARGV[2]), tonumber(ARGV[3])
local field = 'r:' .. ARGV[1]
local state = redis.call('HMGET', meta, 'e', 'o', field)
local epoch, offset = state[1], tonumber(state[2] or '0')
local held, seen, first, closed, waits = 0, 0, 0, 0, 0
if state[3] then
  local a, b, c, d, w = string.match(state[3], '^(%d+)|(%d+)|(%d+)|(%d+)|?(%d*)$')
  held, seen, first, closed, waits = tonumber(a), tonumber(b), tonumber(c), tonumber(d), tonumber(w) or 0
end
local over, retracted, retracts = closed > 0 and waits ~= 1, waits == 2, ARGV[12] == '3'
if epoch == 'deleted' or fence < held then return {'fenced'} end
if retracts then
  if over and retracted then return {'done', epoch, closed} end
elseif closed > 0 and (fence <= held or (number == 0 and over)) then
  return {'done', epoch, closed}
elseif fence > held then
  -- A newer attempt numbers its events anew; one that takes up a run that waited, or was given up, goes on after its end.
  seen, closed, waits, over, retracted = 0, 0, 0, false, false
end

-- The server came back with less than it had acknowledged: offsets already handed out must not be used again.
local rolled_back = epoch and ((epoch == ARGV[6] and offset < tonumber(ARGV[7])) or number > seen + 1)
if ARGV[4] ~= '' and ARGV[4] ~= epoch then return {'lost'} end
if ARGV[4] ~= '' and rolled_back then
  redis.call('DEL', meta, stream)
  return {'lost'}
end
if not epoch or rolled_back then
  redis.call('DEL', meta, stream)
  epoch, offset, first, seen = ARGV[5], 0, 0, 0
end

local before = offset
local skip = 0
if number > 0 then skip = seen - number + 1 end
local total = (#ARGV - 12) / 2
local said = false
for i = skip + 1, total do
  local at = 12 + i * 2
  local kind = ARGV[at - 1]
  local again = retracts and ((over and kind ~= 'retracted') or (retracted and kind == 'retracted'))
  if not again then
    offset = offset + 1
    local added = redis.pcall('XADD', stream, offset .. '-0', 't', kind, 'r', ARGV[1], 'd', ARGV[at])
    if type(added) == 'table' and added.err then
      if string.find(added.err, 'OOM', 1, true) then return added end
      -- The stream contradicts its own metadata: it cannot be trusted, and no retry will mend it.
      redis.call('DEL', meta, stream)
      return {'lost'}
    end
    said = said or kind == 'retracted'
  end
end
if offset > before or fence > held then
  if first == 0 then first = before + 1 end
  if ARGV[12] ~= '0' and not (retracts and over) then closed = offset end
  if ARGV[12] == '2' then waits = 1 end
  if said or retracted then waits = 2 end
  seen = seen + offset - before
  redis.call('HSET', meta, 'e', epoch, 'o', offset, field, string.format('%d|%d|%d|%d|%d', fence, seen, first, closed, waits))
end
if offset > before then
  local longest = tonumber(ARGV[8])
  if offset > longest then redis.call('XTRIM', stream, 'MAXLEN', '~', longest) end
  redis.call('PUBLISH', ARGV[11], epoch .. '-' .. offset)
end
redis.call('EXPIRE', stream, ARGV[9])
redis.call('EXPIRE', meta, ARGV[10])
return {'ok', epoch, before + 1, offset, first}
