/** `/compact`: sums the conversation up now. */
import { tokens } from "../views/format.ts";
import type { SlashCommand } from "./command.ts";

export const compact: SlashCommand = {
	name: "compact",
	argumentHint: "[what to keep in mind]",
	description: "Sum the conversation up, to make room in the context",
	async run(args, host) {
		const { tokensBefore } = await host.session.compact(args === "" ? undefined : args);
		host.notify(
			`The conversation was summed up: from ${tokens(tokensBefore)} tokens to about ${tokens(host.session.contextUsage().tokens)}.`,
			"success",
		);
	},
};
