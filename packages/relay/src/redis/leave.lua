-- Keys: the room's guests. A guest that has come back on another node has not left.
local peer, node, channel = unpack(ARGV)
local known = redis.call('HGET', KEYS[1], peer)
if not known or string.sub(known, 1, #node + 1) ~= node .. ' ' then return 0 end
redis.call('HDEL', KEYS[1], peer)
redis.call('PUBLISH', channel, 'n ' .. node .. ' ' .. cjson.encode({t = 'left', peer = peer}))
return 1
