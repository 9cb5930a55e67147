/** `/context`: what fills the model's context, with the items that the user can read, drop and bring back. */
import { contextText } from "@tau/session/context";

import { contextSelector } from "../selectors/context/selector.ts";
import { report } from "../selectors/kit/report.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const context: SlashCommand = {
	name: "context",
	group: "Context",
	argumentHint: "[print]",
	description: "Show what fills the context, and drop items from it",
	details:
		"Lists what takes room in the model's context. Enter shows an item, Ctrl+D drops it or brings it back, Tab shows how much came from the provider's cache. `print` writes the list into the transcript.",
	complete: (prefix) =>
		"print".startsWith(prefix) ? [{ value: "print", label: "print", description: "Print the list" }] : [],
	run(args, host) {
		const { context: control } = host.sessionHost;
		if (args.trim() === "print") {
			const [head = "", ...rows] = contextText(control.report()).split("\n");
			return host.print(report(host.theme, (_, theme) => [theme.bold(head), ...rows]));
		}
		openSelector(host, (screen, close) => ({
			component: contextSelector(screen, {
				report: () => host.sessionHost.context.report(),
				inspect: (id) => host.sessionHost.context.inspect(id),
				drop: (id) => host.sessionHost.context.drop([id]),
				restore: (id) => host.sessionHost.context.restore([id]),
				close,
			}),
		}));
	},
};
