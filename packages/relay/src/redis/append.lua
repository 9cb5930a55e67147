-- Keys: the room, its stream of messages. Appends a batch and tells the nodes. The id of an entry is the number
-- of bytes that were written before and with it, so that the stream is cut by bytes, and a reader knows whether
-- it missed some.
local field, payload, cap, ttl, channel, node, generation = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'generation') ~= generation then return -1 end
local total = redis.call('HINCRBY', KEYS[1], field, #payload)
local id = string.format('%.0f', total)
local first = string.format('%.0f', math.max(0, total - tonumber(cap)))
redis.call('XADD', KEYS[2], 'MINID', first, id .. '-0', 'b', payload)
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('PEXPIRE', KEYS[2], ttl)
local before = string.format('%.0f', total - #payload)
redis.call('PUBLISH', channel, table.concat({'f', field, before, id, node, payload}, ' '))
return total
