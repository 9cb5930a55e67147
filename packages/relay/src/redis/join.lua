-- Keys: the room, its nodes, its guests.
local peer, node, link, most, ttl = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return {-1} end
local isKnown = redis.call('HEXISTS', KEYS[3], peer) == 1
if not isKnown and redis.call('HLEN', KEYS[3]) >= tonumber(most) then return {0} end
redis.call('HSET', KEYS[3], peer, node .. ' ' .. link)
redis.call('PEXPIRE', KEYS[3], ttl)
local turn = redis.call('HINCRBY', KEYS[1], 'turn', 1)
tell(KEYS[1], KEYS[2], node, cjson.encode({t = 'joined', peer = peer, link = link, turn = turn}))
return {1, turn}
