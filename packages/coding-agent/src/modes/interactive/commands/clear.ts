/** `/clear`: clears the model's context; the session continues. */
import type { SlashCommand } from "./command.ts";

export const clear: SlashCommand = {
	name: "clear",
	group: "Context",
	description: "Clear the context (history stays in the session file)",
	details:
		"The model no longer sees the conversation so far. The session continues, and /tree still shows the earlier messages. /new starts another session instead.",
	async run(_, host) {
		const change = (): void => void host.log.append({ type: "reset_boundary" });
		if (await host.move({ to: "branch", change }))
			host.notify("Context cleared. Earlier messages are still in /tree.", "info");
	},
};
