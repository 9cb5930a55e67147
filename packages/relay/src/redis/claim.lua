-- Keys: the room, its nodes, both streams. Makes a node the host's, unless another host has a newer stream, or any
-- where it is exclusive.
local stream, links, node, ttl, generation, exclusive = unpack(ARGV)
local known = tonumber(redis.call('HGET', KEYS[1], 'stream') or '0')
if known > tonumber(stream) then return {0} end
local host = redis.call('HGET', KEYS[1], 'host')
if exclusive == '1' and host and host ~= '' and host ~= node then return {0} end
if known < tonumber(stream) then redis.call('DEL', KEYS[3], KEYS[4]) end
redis.call('HSETNX', KEYS[1], 'generation', generation)
redis.call('HSET', KEYS[1], 'stream', stream, 'links', links, 'host', node)
redis.call('SADD', KEYS[2], node)
local turn = redis.call('HINCRBY', KEYS[1], 'turn', 1)
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('PEXPIRE', KEYS[2], ttl)
tell(KEYS[1], KEYS[2], node, cjson.encode({t = 'host', stream = tonumber(stream), links = links, turn = turn}))
return {1, redis.call('HGET', KEYS[1], 'generation'), turn}
