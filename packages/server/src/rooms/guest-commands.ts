/** What guests of a room may ask of its host: the session that is shared, and nothing beyond it. */
import type { CommandName } from "@tau/wire";

import { limits } from "./limits.ts";

/** The right that each needs is checked where it is worked on. */
const allowed: ReadonlySet<string> = new Set<CommandName>([
	"prompt",
	"steer",
	"follow_up",
	"abort",
	"abort_retry",
	"retry",
	"wait_for_idle",
	"get_state",
	"get_context",
	"get_session_stats",
	"get_summary",
	"get_children",
	"get_child_messages",
	"prompt_child",
	"abort_child",
	"get_goal",
	"get_todos",
	"get_entries",
	"get_last_assistant_text",
	"add_comment",
	"btw",
	"abort_side_question",
	"list_commands",
	"complete_command",
	"run_command",
	"abort_command",
	"list_requests",
	"answer_request",
	"show_components",
	"draw_blocks",
	"draw_for_web",
]);

/** Slash commands that only tell of this session; what shows files, settings or other sessions is not among them. */
const slashCommands: ReadonlySet<string> = new Set([
	"dump",
	"cost",
	"context",
	"session",
	"todo",
	"agents",
	"jobs",
	"comment",
	"btw",
	"retry",
]);

export type GuestLine =
	| { readonly ok: true; readonly line: Record<string, unknown> }
	| { readonly ok: false; readonly reason: string };

/** The command as it is worked on, or why it is not. */
export function guestLine(line: Record<string, unknown>): GuestLine {
	const { type, name } = line;
	if (typeof type !== "string" || !allowed.has(type))
		return { ok: false, reason: `${String(type)} is host-only during a collab session` };
	if ((type === "run_command" || type === "complete_command") && !slashCommands.has(String(name)))
		return { ok: false, reason: `/${String(name)} is host-only during a collab session` };
	if (type === "get_entries") return { ok: true, line: bounded(line) };
	return { ok: true, line };
}

/** A page at a time: a session of 50 MB is not read at once for a guest. */
function bounded(line: Record<string, unknown>): Record<string, unknown> {
	const { limit } = line;
	const most =
		typeof limit === "number" && limit > 0 ? Math.min(limit, limits.guestEntries) : limits.guestEntries;
	return { ...line, limit: most };
}
