-- Keys: the room, its nodes. A node wants to know what happens in it, if there is such a room.
local node, ttl = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SADD', KEYS[2], node)
redis.call('PEXPIRE', KEYS[2], ttl)
return 1
