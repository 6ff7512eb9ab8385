-- Where a conversation's log stands, and its events after an offset, in one atomic look.
-- KEYS  1 meta hash, 2 stream
-- ARGV  1 run ('' for none), 2 offset ('run': just before the run's first event; '' for no events), 3 how many
-- Reply {epoch, last, run record, oldest offset still held or 0, entries} | {} when the log is unknown
local state = redis.call('HMGET', KEYS[1], 'e', 'o', 'r:' .. ARGV[1])
if not state[1] or state[1] == 'deleted' then return {} end
local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
local kept = 0
if oldest[1] then kept = tonumber(string.match(oldest[1][1], '^(%d+)')) end
local after, entries = ARGV[2], {}
if after == 'run' then
  after = nil
  if state[3] then after = tonumber(string.match(state[3], '^%d+|%d+|(%d+)|')) - 1 end
elseif after ~= '' then
  after = tonumber(after)
else
  after = nil
end
if after then
  -- In small steps, so that a page of huge events stays a page.
  local size, wanted = 0, tonumber(ARGV[3])
  while #entries < wanted and size < 524288 do
    local step = redis.call('XRANGE', KEYS[2], string.format('(%d-0', after), '+', 'COUNT', math.min(64, wanted - #entries))
    for _, entry in ipairs(step) do
      entries[#entries + 1] = entry
      after = tonumber(string.match(entry[1], '^(%d+)'))
      size = size + string.len(entry[2][6])
    end
    if #step < 64 then break end
  end
end
return {state[1], tonumber(state[2]), state[3] or '', kept, entries}
