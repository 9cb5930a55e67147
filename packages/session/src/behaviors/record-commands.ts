/** Records what commands and tools of extensions change in the files of the project. */
import type { Behavior } from "../run/behavior.ts";
import type { FileRecorder } from "@tau/log/journal";
import { timer } from "@tau/utils";

/** How long the start of a sandbox comes first: it waits for processes meanwhile, and a look at the project takes our time. */
const sandboxFirstMs = 10;

/** Its gate comes after all others: while they ask the user, no command runs. */
export function recordCommands(recorder: FileRecorder): Behavior {
	return {
		name: "record-commands",
		attach(session) {
			const owned = new DisposableStack();
			let preparing: Disposable | undefined;
			owned.defer(() => preparing?.[Symbol.dispose]());
			owned.use(
				session.gateTools({
					name: "record-commands",
					deadlineMs: Infinity,
					async judge({ id, tool, denied }, signal) {
						// Neither what a tool reads nor what it writes may be half restored.
						await recorder.ready(signal);
						if (tool.approval === "exec" && denied === undefined) await recorder.commandStarting(id, signal);
						return undefined;
					},
				}),
			);
			owned.use(
				session.onBefore(["message_update", "tool_execution_end"], (event) => {
					if (event.type === "tool_execution_end") return recorder.commandEnded(event.toolCallId);
					// The arguments of a call take a while to arrive: the project is looked at meanwhile.
					if (event.assistantMessageEvent.type !== "toolcall_start") return undefined;
					const block = event.message.content[event.assistantMessageEvent.contentIndex];
					const tool = block?.type === "toolCall" ? session.findTool(block.name) : undefined;
					if (tool?.approval !== "exec") return undefined;
					preparing?.[Symbol.dispose]();
					preparing = timer(sandboxFirstMs, () => recorder.prepare());
					return undefined;
				}),
			);
			return owned;
		},
	};
}
