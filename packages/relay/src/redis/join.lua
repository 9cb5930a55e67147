-- Keys: the room, its guests.
local peer, node, link, most, ttl, channel = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return {-1} end
local isKnown = redis.call('HEXISTS', KEYS[2], peer) == 1
if not isKnown and redis.call('HLEN', KEYS[2]) >= tonumber(most) then return {0} end
redis.call('HSET', KEYS[2], peer, node .. ' ' .. link)
redis.call('PEXPIRE', KEYS[2], ttl)
local turn = redis.call('HINCRBY', KEYS[1], 'turn', 1)
redis.call('PUBLISH', channel, 'n ' .. node .. ' ' .. cjson.encode({t = 'joined', peer = peer, link = link, turn = turn}))
return {1, turn}
