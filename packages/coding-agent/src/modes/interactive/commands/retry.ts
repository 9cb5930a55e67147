/** `/retry`: the model is asked again after a failed or stopped answer. */
import type { SlashCommand } from "./command.ts";

export const retry: SlashCommand = {
	name: "retry",
	group: "Session",
	description: "Retry the last turn after it failed or was stopped",
	async run(_, host) {
		if (host.isBusy)
			return host.notify("The model is still answering. Press Esc to interrupt it first.", "warning");
		await host.sessionHost.retry();
	},
};
