/** Calls a tool of a server: at once or as a task, and again after the user has visited a page that the server names. */
import {
	specTypeSchemas,
	UrlElicitationRequiredError,
	type CallToolResult,
	type Client,
	type Progress,
	type Task,
	type Tool,
} from "@modelcontextprotocol/client";
import { abortable, delay, withTimeout, type Deadline } from "@tau/utils";

import { limits } from "./limits.ts";
import type { ServerRequests } from "./server-requests.ts";

export interface ServerCall {
	/** As the server defines it now; absent for one that it does not list. */
	definition: Tool | undefined;
	name: string;
	args: Record<string, unknown>;
	signal: AbortSignal;
	/** How long it may take without any progress. */
	timeoutMs: number;
	onProgress?: ((progress: Progress) => void) | undefined;
}

export async function callServer(
	client: Client,
	requests: ServerRequests,
	call: ServerCall,
): Promise<CallToolResult> {
	for (let visits = 0; ; visits++) {
		try {
			return await (needsTask(client, call) ? callAsTask(client, call) : callAtOnce(client, call));
		} catch (error) {
			if (!(error instanceof UrlElicitationRequiredError) || visits >= limits.pageVisits) throw error;
			await requests.visitPages(error.elicitations.slice(0, limits.pageVisits), call.signal);
		}
	}
}

function optionsOf({ signal, timeoutMs, onProgress }: ServerCall) {
	return {
		signal,
		timeout: timeoutMs,
		maxTotalTimeout: limits.callMaxMs,
		resetTimeoutOnProgress: true,
		...(onProgress ? { onprogress: onProgress } : {}),
	};
}

async function callAtOnce(client: Client, call: ServerCall): Promise<CallToolResult> {
	return await client.callTool({ name: call.name, arguments: call.args }, optionsOf(call));
}

/** Revision 2025-11-25 has tools that can be called in no other way; where a task is optional, a call is simpler. */
function needsTask(client: Client, { definition }: ServerCall): boolean {
	const canHave = client.getServerCapabilities()?.tasks?.requests?.tools?.call !== undefined;
	return canHave && definition?.execution?.taskSupport === "required";
}

/** The SDK knows the messages of tasks, but does not run them. */
async function callAsTask(client: Client, call: ServerCall): Promise<CallToolResult> {
	const { name, args, signal } = call;
	const params = { name, arguments: args, task: { ttl: limits.callMaxMs } };
	const created = await client.request(
		{ method: "tools/call", params },
		specTypeSchemas.CreateTaskResult,
		optionsOf(call),
	);
	const { taskId } = created.task;
	// A task that reports nothing for as long as a call may take is given up.
	using silence = withTimeout(signal, call.timeoutMs, "Request timed out");
	// It is answered when the task has ended, and carries what the task asks of the user before.
	const result = client.request(
		{ method: "tasks/result", params: { taskId } },
		specTypeSchemas.CallToolResult,
		{ signal: silence.signal, timeout: limits.callMaxMs },
	);
	const ended = new AbortController();
	void follow(client, created.task, call, silence, AbortSignal.any([silence.signal, ended.signal]));
	try {
		return await abortable(result, silence.signal);
	} catch (error) {
		// Nobody waits for the server to say that it has understood.
		if (silence.signal.aborted)
			void client
				.request({ method: "tasks/cancel", params: { taskId } }, specTypeSchemas.CancelTaskResult, {
					timeout: limits.pingMs,
				})
				.catch(() => {});
		throw error;
	} finally {
		ended.abort();
	}
}

/** Shows what the task says of itself. A server that does not answer is noticed by the silence. */
async function follow(
	client: Client,
	created: Task,
	{ onProgress, timeoutMs }: ServerCall,
	silence: Deadline,
	signal: AbortSignal,
): Promise<void> {
	const params = { taskId: created.taskId };
	let shown = "";
	for (let step = 0; !signal.aborted;) {
		try {
			const task = await client.request({ method: "tasks/get", params }, specTypeSchemas.GetTaskResult, {
				signal,
				timeout: limits.listMs,
			});
			const now = `${task.status}\n${task.statusMessage ?? ""}\n${task.lastUpdatedAt}`;
			// A task that waits for the user waits as long as the user takes.
			if (now !== shown || task.status === "input_required") silence.restart(timeoutMs);
			if (now !== shown) onProgress?.({ progress: ++step, message: task.statusMessage ?? task.status });
			shown = now;
		} catch {
			// The result, or its absence, says what is wrong.
		}
		const interval = created.pollInterval ?? limits.taskPollMs;
		await delay(Math.min(Math.max(interval, limits.taskPollLeastMs), limits.taskPollMostMs), signal).catch(
			() => {},
		);
	}
}
