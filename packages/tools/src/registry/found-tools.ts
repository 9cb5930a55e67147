/** A session that is resumed has the tools that its model found before, in the same order. */
import type { Behavior } from "@tau/session/run";

import type { ToolRegistry } from "./tool-registry.ts";

export function foundTools(registry: ToolRegistry): Behavior {
	return {
		name: "found-tools",
		attach(session) {
			let isRestored = false;
			return session.beforePrompt(async () => {
				if (isRestored) return;
				isRestored = true;
				registry.reveal(
					session.state.messages.flatMap((message) =>
						message.role === "toolResult" ? (message.foundTools ?? []) : [],
					),
				);
			});
		},
	};
}
