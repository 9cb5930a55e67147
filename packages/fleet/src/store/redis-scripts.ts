/**
 * The tasks of the Redis store: what Redis does in one step. Every script that a worker calls begins with the fence, so
 * that nothing of a worker without the lease is written. Times are those of the caller, and decide nothing about leases.
 */
import type { Progress, Task, TaskResult, TaskSpec, TaskState } from "../task.ts";

/** Before the names of all keys. */
export const prefix = "tau:fleet";

export const keys = {
	/** Ids in the order in which they were added. */
	order: `${prefix}:order`,
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
const announce = `redis.call('PUBLISH', '${keys.changed}', '') `;

export const scripts = {
	/** Keys: task, order. Arguments: id, fields. */
	add: `redis.call('HSET', KEYS[1], unpack(ARGV, 2)) redis.call('RPUSH', KEYS[2], ARGV[1]) ${announce} return 1`,
	/** Keys: order. All tasks, or those of the states that are given, as one text: a reply of 100,000 parts takes long to read. */
	list: `
local wanted = {}
for _, state in ipairs(ARGV) do wanted[state] = true end
local rows = {}
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do
	local key = '${prefix}:task:' .. id
	if #ARGV == 0 or wanted[redis.call('HGET', key, 'state')] then rows[#rows + 1] = redis.call('HGETALL', key) end
end
return #rows == 0 and '[]' or cjson.encode(rows)`,
	/** Keys: task. Arguments: worker, time, losses that are too many. The task may be queued, or its worker be lost. */
	claim: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' then return 0 end
if state == 'running' and redis.call('HINCRBY', KEYS[1], 'losses', 1) >= tonumber(ARGV[3]) then
	redis.call('HSET', KEYS[1], 'state', 'failed', 'endedAt', ARGV[2], 'problem', 'Its worker was lost ' .. ARGV[3] .. ' times.')
	${announce}
	return 0
end
redis.call('HSET', KEYS[1], 'state', 'running', 'worker', ARGV[1])
redis.call('HSETNX', KEYS[1], 'startedAt', ARGV[2])
${announce}
return redis.call('HINCRBY', KEYS[1], 'lease', 1)`,
	/** Keys: task. */
	isHeld: `${fence} return 1`,
	/** Keys: task, log, blobs. Arguments: lease, patch or nothing, lines. */
	append: `${fence}
for at = 3, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[at]) end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[3], 'patch', ARGV[2]) end
${announce}
return 1`,
	/** Keys: task, blobs. Arguments: lease, bundle or nothing, how often it has failed more, fields. */
	set: `${fence}
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('HINCRBY', KEYS[1], 'failures', ARGV[3])
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then redis.call('HDEL', KEYS[1], 'worker') end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], 'out', ARGV[2]) end
${announce}
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
${announce}
return isParked and 1 or 0`,
	/** Keys: task. Arguments: time. */
	stop: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'queued' and state ~= 'running' and state ~= 'parked' then return 0 end
if state == 'running' then redis.call('HINCRBY', KEYS[1], 'lease', 1) end
redis.call('HSET', KEYS[1], 'state', 'stopped', 'endedAt', ARGV[1])
redis.call('HDEL', KEYS[1], 'worker')
${announce}
return 1`,
	/** Keys: task, log, inbox, blobs. Arguments: time, progress. */
	retry: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'done' and state ~= 'failed' and state ~= 'stopped' then return 0 end
redis.call('HSET', KEYS[1], 'state', 'queued', 'runAt', ARGV[1], 'failures', 0, 'losses', 0, 'progress', ARGV[2])
redis.call('HDEL', KEYS[1], 'problem', 'result', 'startedAt', 'endedAt')
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HDEL', KEYS[4], 'patch', 'out')
${announce}
return 1`,
	/** Keys: task, order, log, inbox, blobs, waiting. Arguments: id. */
	remove: `
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'done' and state ~= 'failed' and state ~= 'stopped' then return 0 end
redis.call('LREM', KEYS[2], 1, ARGV[1])
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6])
${announce}
return 1`,
} as const;

/** The fields of a hash as a task; undefined if there is none. */
export function toTask(flat: readonly string[] | Readonly<Record<string, string>> | null): Task | undefined {
	const row = Array.isArray(flat) ? pairs(flat) : (flat as Record<string, string> | null);
	if (!row?.id || row.spec === undefined) return undefined;
	const number = (name: string): number => Number(row[name] ?? 0);
	return {
		id: row.id,
		// Written by this store alone.
		spec: JSON.parse(row.spec) as TaskSpec,
		state: row.state as TaskState,
		lease: number("lease"),
		failures: number("failures"),
		losses: number("losses"),
		runAt: number("runAt"),
		createdAt: number("createdAt"),
		progress: JSON.parse(row.progress ?? "{}") as Progress,
		...(row.worker === undefined ? {} : { worker: row.worker }),
		...(row.startedAt === undefined ? {} : { startedAt: number("startedAt") }),
		...(row.endedAt === undefined ? {} : { endedAt: number("endedAt") }),
		...(row.result === undefined ? {} : { result: JSON.parse(row.result) as TaskResult }),
		...(row.problem === undefined ? {} : { problem: row.problem }),
	};
}

function pairs(flat: readonly string[]): Record<string, string> {
	const row: Record<string, string> = {};
	for (let at = 0; at + 1 < flat.length; at += 2) row[flat[at] ?? ""] = flat[at + 1] ?? "";
	return row;
}
