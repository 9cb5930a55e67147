/** `/handoff`: continues the work in a new session, with a document about this one. */
import type { SlashCommand } from "./command.ts";

export const handoff: SlashCommand = {
	name: "handoff",
	group: "Context",
	argumentHint: "[instructions]",
	description: "Start a new session with a summary of this one",
	details:
		"The model writes what the next session needs to know; your messages are added word for word. Instructions say what the document should focus on. This session stays in /resume.",
	async run(args, host) {
		const { sessionHost } = host;
		if (sessionHost.work.jobs.running() > 0)
			throw new Error("Background jobs are running and would be stopped. End them first (/jobs).");
		host.notify("Writing the handoff. Esc cancels.", "info");
		const outcome = await sessionHost.handoff(args === "" ? undefined : args);
		if (outcome.kind === "moved") host.notify("Continuing in a new session with the handoff.", "info");
		else host.notify("Cancelled by an extension.", "warning");
	},
};
