-- Tells the other nodes that have a room open.
local function tell(room, nodes, node, note)
	for _, other in ipairs(redis.call('SMEMBERS', nodes)) do
		if other ~= node then redis.call('PUBLISH', 'tau:node:' .. other, 'n ' .. node .. ' ' .. room .. ' ' .. note) end
	end
end
