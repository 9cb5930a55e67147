/**
 * The tasks of the Redis store: what Redis does in one step. Every script that a worker calls begins with the fence, so
 * that nothing of a worker without the lease is written. Times are those of the caller, and decide nothing about leases.
 */
import type { Task } from "../task.ts";

/** Before the names of all keys. */
export const prefix = "tau:fleet";

export const keys = {
	/** Counts the tasks that were added: their order. */
	count: `${prefix}:count`,
	/** Every task as JSON, by its id. Scripts write it with the task, so that a list is one read. */
	rows: `${prefix}:rows`,
	changed: `${prefix}:changed`,
	format: `${prefix}:format`,
	/** The label sets that tasks have, each of which has a queue. */
	queues: `${prefix}:queues`,
	task: (id: string) => `${prefix}:task:${id}`,
	log: (id: string) => `${prefix}:log:${id}`,
	blobs: (id: string) => `${prefix}:blobs:${id}`,
	inbox: (id: string) => `${prefix}:inbox:${id}`,
	/** Tasks that wait for this one. */
	waiting: (id: string) => `${prefix}:waiting:${id}`,
} as const;

const fence = `
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] or redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
`;
/** With the task: a worker would otherwise look at each of its tasks for every line that others write. */
const announce = `redis.call('PUBLISH', '${keys.changed}', string.sub(KEYS[1], ${keys.task("").length + 1})) `;
/** Writes the row of a task that has changed. Its fields are numbers and JSON, but for the four that are words. */
const save = `
local words, fields, row = {id = 1, state = 1, worker = 1, problem = 1}, redis.call('HGETALL', KEYS[1]), {}
for at = 1, #fields, 2 do
	local value = words[fields[at]] and cjson.encode(fields[at + 1]) or fields[at + 1]
	row[#row + 1] = '"' .. fields[at] .. '":' .. value
end
redis.call('HSET', '${keys.rows}', redis.call('HGET', KEYS[1], 'id'), '{' .. table.concat(row, ',') .. '}')
${announce}`;

export const scripts = {
	/** Keys: task, count. Arguments: fields. */
	add: `redis.call('HSET', KEYS[1], 'number', redis.call('INCR', KEYS[2]), unpack(ARGV)) ${save} return 1`,
	/** Keys: task. Arguments: worker, time, losses that are too many. The task may be queued, or its worker be lost. */
	claim: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' then return 0 end
if state == 'running' and redis.call('HINCRBY', KEYS[1], 'losses', 1) >= tonumber(ARGV[3]) then
	redis.call('HSET', KEYS[1], 'state', 'failed', 'endedAt', ARGV[2], 'problem', 'Its worker was lost ' .. ARGV[3] .. ' times.')
	${save}
	return 0
end
redis.call('HSET', KEYS[1], 'state', 'running', 'worker', ARGV[1])
redis.call('HSETNX', KEYS[1], 'startedAt', ARGV[2])
local lease = redis.call('HINCRBY', KEYS[1], 'lease', 1)
${save}
return lease`,
	/** Keys: task. */
	isHeld: `${fence} return 1`,
	/**
	 * Keys: task, log, blobs. Arguments: lease, how many lines are before these, patch after a letter or nothing, lines.
	 * Lines that are there already came with a call whose response was lost.
	 */
	append: `${fence}
local before = redis.call('LLEN', KEYS[2]) - tonumber(ARGV[2])
if before < 0 then return 0 end
for at = 4 + before, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[at]) end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[3], 'patch', string.sub(ARGV[3], 2)) end
${announce}
return 1`,
	/** Keys: task, blobs. Arguments: lease, bundle or nothing, cassette or nothing, how often it has failed more, fields. */
	set: `${fence}
redis.call('HSET', KEYS[1], unpack(ARGV, 5))
redis.call('HINCRBY', KEYS[1], 'failures', ARGV[4])
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then redis.call('HDEL', KEYS[1], 'worker') end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], 'out', ARGV[2]) end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], 'cassette', ARGV[3]) end
${save}
return 1`,
	/** Keys: task, inbox. */
	receive: `
if redis.call('LLEN', KEYS[2]) == 0 then return {} end
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return {} end
local all = redis.call('LRANGE', KEYS[2], 0, -1)
redis.call('DEL', KEYS[2])
return all`,
	/** Keys: task, inbox. Arguments: message, time. 1 if a worker has to take the task now. */
	send: `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('RPUSH', KEYS[2], ARGV[1])
local isParked = redis.call('HGET', KEYS[1], 'state') == 'parked'
if isParked then redis.call('HSET', KEYS[1], 'state', 'queued', 'runAt', ARGV[2]) end
${save}
return isParked and 1 or 0`,
	/** Keys: task. Arguments: time. */
	stop: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' and state ~= 'parked' then return 0 end
if state == 'running' then redis.call('HINCRBY', KEYS[1], 'lease', 1) end
redis.call('HSET', KEYS[1], 'state', 'stopped', 'endedAt', ARGV[1])
redis.call('HDEL', KEYS[1], 'worker')
${save}
return 1`,
	/** Keys: task, log, inbox, blobs. Arguments: time, progress. */
	retry: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'done' and state ~= 'failed' and state ~= 'stopped' then return 0 end
redis.call('HSET', KEYS[1], 'state', 'queued', 'runAt', ARGV[1], 'failures', 0, 'losses', 0, 'progress', ARGV[2])
redis.call('HDEL', KEYS[1], 'problem', 'result', 'startedAt', 'endedAt')
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HDEL', KEYS[4], 'patch', 'out', 'cassette')
${save}
return 1`,
	/** Keys: task, rows, log, inbox, blobs, waiting. Arguments: id. */
	remove: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'done' and state ~= 'failed' and state ~= 'stopped' then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6])
${announce}
return 1`,
} as const;

interface Row extends Task {
	readonly number: number;
}

/** Written by this store alone, in the order in which the tasks were added. */
export function toTasks(rows: readonly string[]): Task[] {
	const parsed = rows.map((row) => JSON.parse(row) as Row);
	return parsed.toSorted((a, b) => a.number - b.number).map(({ number: _, ...task }) => task);
}
