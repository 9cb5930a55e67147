/** Stops an answer as soon as an edit in it can no longer succeed, and sends the model the reason. */
import type { AssistantMessage } from "@tau/ai";
import { fill } from "@tau/utils";
import type { Behavior } from "@tau/session/run";
import stopped from "./guard-stopped.md" with { type: "text" };
import type { StreamedEdit } from "./guard.ts";
import type { ToolEnv } from "../tool/env.ts";

/** `isBuiltIn` is false if something else has replaced the tool: its files may be elsewhere. */
export function editGuard(env: ToolEnv, isBuiltIn: (tool: string) => boolean): Behavior {
	return {
		name: "edit-guard",
		attach(session) {
			/** The edits of the streaming answer, by their index in it. */
			const edits = new Map<number, Promise<StreamedEdit>>();
			/** True when a call of the tool leaves files unchanged. */
			const isReadOnly = (name: string): boolean => session.findTool(name)?.approval === "read";
			const isOurs = (): boolean =>
				session.state.tools.some(({ name }) => name === "edit" && isBuiltIn(name));
			const check = async (edit: Promise<StreamedEdit>, delta: string): Promise<void> => {
				const verdict = await (await edit).push(delta);
				if (!verdict || verdict.ok) return;
				session.interrupt({
					reason: `An edit${verdict.path ? ` of ${verdict.path}` : ""} could not match.`,
					discard: true,
					// The user sees the reason; this text is for the model only.
					message: {
						role: "custom",
						customType: "edit-guard",
						content: fill(stopped, { reason: verdict.reason }),
						display: false,
						timestamp: Date.now(),
					},
				});
			};
			return session.onBefore(["message_start", "message_update"], (event) => {
				if (event.type === "message_start") return edits.clear();
				const update = event.assistantMessageEvent;
				if (update.type === "toolcall_start" && isEdit(event.message, update.contentIndex, isReadOnly)) {
					if (isOurs()) edits.set(update.contentIndex, streamedEdit(env));
				}
				const edit = update.type === "toolcall_delta" ? edits.get(update.contentIndex) : undefined;
				return edit && update.type === "toolcall_delta" ? check(edit, update.delta) : undefined;
			});
		},
	};
}

async function streamedEdit(env: ToolEnv): Promise<StreamedEdit> {
	const guard = await import("./guard.ts");
	return new guard.StreamedEdit(env);
}

/** Whether a call edits files in their current state: one after a call that may change files is checked when it runs. */
function isEdit(
	{ content }: AssistantMessage,
	index: number,
	isReadOnly: (tool: string) => boolean,
): boolean {
	const call = content[index];
	if (call?.type !== "toolCall" || call.name !== "edit") return false;
	return content.slice(0, index).every((block) => block.type !== "toolCall" || isReadOnly(block.name));
}
