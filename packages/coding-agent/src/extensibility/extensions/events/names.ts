/** The names of all events that there are. */
import type { ExtensionEventName } from "./types.ts";

/** A row for each, so that none is forgotten. */
const names: Readonly<Record<ExtensionEventName, true>> = {
	resources_discover: true,
	session_start: true,
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
	session_before_tree: true,
	session_tree: true,
	context: true,
	before_provider_request: true,
	after_provider_response: true,
	before_agent_start: true,
	agent_start: true,
	agent_end: true,
	turn_start: true,
	turn_end: true,
	message_start: true,
	message_update: true,
	message_end: true,
	tool_execution_start: true,
	tool_execution_update: true,
	tool_execution_end: true,
	tool_call: true,
	tool_result: true,
	model_select: true,
	thinking_level_select: true,
	user_bash: true,
	user_python: true,
	input: true,
	auto_compaction_start: true,
	auto_compaction_end: true,
	auto_retry_start: true,
	auto_retry_end: true,
	ttsr_triggered: true,
	todo_reminder: true,
};

export function isEventName(name: string): name is ExtensionEventName {
	return Object.hasOwn(names, name);
}
