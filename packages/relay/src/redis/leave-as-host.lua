-- Keys: the room, its nodes.
local node = ARGV[1]
if redis.call('HGET', KEYS[1], 'host') ~= node then return 0 end
redis.call('HSET', KEYS[1], 'host', '')
tell(KEYS[1], KEYS[2], node, cjson.encode({t = 'host-left'}))
return 1
