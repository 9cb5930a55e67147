-- Keys: the room, its nodes, its guests. A guest that has come back on another node has not left.
local peer, node = unpack(ARGV)
local known = redis.call('HGET', KEYS[3], peer)
if not known or string.sub(known, 1, #node + 1) ~= node .. ' ' then return 0 end
redis.call('HDEL', KEYS[3], peer)
tell(KEYS[1], KEYS[2], node, cjson.encode({t = 'left', peer = peer}))
return 1
