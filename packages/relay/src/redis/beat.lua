-- Keys: the nodes. Says that a node is alive, forgets those that have not said so for long, and returns the
-- others.
local node, ms = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now), node)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ms)))
return redis.call('ZRANGE', KEYS[1], 0, -1)
