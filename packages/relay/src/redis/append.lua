-- Keys: of each batch the stream of messages, whose name begins with that of its room and ends with the field that
-- counts its bytes. Appends the batches, and tells each other node of all that concern it at once. The id of an entry
-- is the number of bytes that were written before and with it, so that the stream is cut by bytes, and a reader knows
-- whether it missed some. A stream that begins expires with its room, which the node of its host renews. Returns this
-- number for each batch, or -1 if Redis has lost the room.
local node, ttl = ARGV[1], ARGV[2]
local kept = {d = tonumber(ARGV[3]), u = tonumber(ARGV[4])}
local totals, lines = {}, {}
for i, stream in ipairs(KEYS) do
	local generation, payload = ARGV[2 * i + 3], ARGV[2 * i + 4]
	local room, field = string.sub(stream, 1, -3), string.sub(stream, -1)
	totals[i] = -1
	if redis.call('HGET', room, 'generation') == generation then
		local total = redis.call('HINCRBY', room, field, #payload)
		totals[i] = total
		local before, id = string.format('%.0f', total - #payload), string.format('%.0f', total)
		local first = string.format('%.0f', math.max(0, total - kept[field]))
		redis.call('XADD', stream, 'MINID', first, id .. '-0', 'b', payload)
		redis.call('PEXPIRE', stream, ttl, 'NX')
		local line = table.concat({room, field, before, id, payload}, ' ')
		for _, other in ipairs(redis.call('SMEMBERS', room .. ':n')) do
			if other ~= node then
				lines[other] = lines[other] or {'f'}
				table.insert(lines[other], line)
			end
		end
	end
end
for other, list in pairs(lines) do
	-- A node that does not listen is gone, or opens its rooms again when it is back.
	if redis.call('PUBLISH', 'tau:node:' .. other, table.concat(list, '\n')) == 0 then
		for _, stream in ipairs(KEYS) do redis.call('SREM', string.sub(stream, 1, -3) .. ':n', other) end
	end
end
return totals
