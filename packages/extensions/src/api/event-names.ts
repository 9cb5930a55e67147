/** The names of all events that extensions can listen to. */
import { extensionEventNames } from "@tau/wire";

import type { HostEvents } from "./event-types.ts";

/** Those that the extension host emits itself; the compiler asks for a row for each. */
const hostEvents: Readonly<Record<keyof HostEvents, true>> = {
	resources_discover: true,
	session_start: true,
	mcp_serve: true,
	session_before_switch: true,
	session_switch: true,
	session_before_fork: true,
	session_before_branch: true,
	session_fork: true,
	session_branch: true,
	session_shutdown: true,
	session_before_compact: true,
	"session.compacting": true,
	session_compact: true,
	session_compact_failed: true,
	session_stop: true,
	session_before_tree: true,
	session_tree: true,
	context: true,
	context_with_system: true,
	provider_stream_event: true,
	credential_disabled: true,
	project_trust: true,
	before_provider_request: true,
	before_provider_headers: true,
	after_provider_response: true,
	before_agent_start: true,
	before_subagent_spawn: true,
	agent_before_settle: true,
	agent_settled: true,
	ui_prompt_start: true,
	ui_prompt_end: true,
	turn_start: true,
	turn_end: true,
	message_end: true,
	tool_call: true,
	tool_result: true,
	model_select: true,
	thinking_level_select: true,
	user_bash: true,
	user_python: true,
	input: true,
};

/**
 * Events of pi and omp that Tau never emits: subscribing to them is harmless. A name that is in neither list is a
 * mistake of the extension's author.
 */
const neverEmitted: ReadonlySet<string> = new Set(["cache_warming_decision", "goal_updated"]);

const names: ReadonlySet<string> = new Set([...Object.keys(hostEvents), ...extensionEventNames]);

/** Those that are emitted. */
export const eventNames: readonly string[] = [...names];

/** Whether a handler of this name is right to be there. */
export function isKnownEvent(name: string): boolean {
	return names.has(name) || neverEmitted.has(name);
}

/** Whether the extension host emits it itself, in its own form or with a return value. */
export function isHostEvent(name: string): boolean {
	return Object.hasOwn(hostEvents, name);
}
