/** Loads and starts what a call needs while its arguments are still arriving: the judge, and the tool's own shell. */
import type { Behavior } from "../run/behavior.ts";
import type { Policy } from "./policy.ts";

export function prepareCalls(policy: () => Policy | undefined): Behavior {
	return {
		name: "prepare-calls",
		attach: (session) =>
			session.onBefore(["message_update"], (event) => {
				if (event.assistantMessageEvent.type !== "toolcall_start") return;
				const block = event.message.content[event.assistantMessageEvent.contentIndex];
				const tool = block?.type === "toolCall" ? session.findTool(block.name) : undefined;
				if (!tool) return;
				// First the tool: a sandbox starts in processes of its own, while the judge is loaded. That takes 3 ms, and
				// would come before the start of these processes, which begins with promises.
				tool.prepare?.();
				setImmediate(() => policy()?.prepare());
			}),
	};
}
