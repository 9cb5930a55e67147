-- Keys: the room, its nodes, and what is deleted after the note, if anything is.
local node, note = unpack(ARGV)
tell(KEYS[1], KEYS[2], node, note)
for i = 3, #KEYS do redis.call('DEL', KEYS[i]) end
return 1
