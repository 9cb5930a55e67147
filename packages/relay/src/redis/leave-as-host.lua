-- Keys: the room.
local node, channel = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'host') ~= node then return 0 end
redis.call('HSET', KEYS[1], 'host', '')
redis.call('PUBLISH', channel, 'n ' .. node .. ' ' .. cjson.encode({t = 'host-left'}))
return 1
