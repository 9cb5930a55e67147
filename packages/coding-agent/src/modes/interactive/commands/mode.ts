/** `/mode`: what runs without asking. */
import { approvalModes, boundaryMeanings, modeMeanings } from "@tau/session/policy";

import { valueItems, type SlashCommand } from "./command.ts";

export const mode: SlashCommand = {
	name: "mode",
	group: "Tools",
	argumentHint: "[plan|ask|auto|full]",
	description: "Set when Tau asks before tools run",
	complete: (prefix, { sessionHost }) => {
		const modes = approvalModes.map((value) => ({ value, description: modeMeanings[value] }));
		return valueItems(modes, prefix, sessionHost.policy?.mode);
	},
	async run(args, host) {
		const { policy } = host.sessionHost;
		if (!policy) return host.notify("This session has no approvals.", "warning");
		const named = approvalModes.find((name) => name === args.toLowerCase());
		if (args !== "" && !named) throw new Error(`Usage: /mode ${approvalModes.join("|")}`);
		const choices = approvalModes.map((name) => ({
			value: name,
			label: name,
			description: modeMeanings[name],
		}));
		const title = `Approval mode (${boundaryMeanings[policy.boundary]})`;
		const chosen = named ?? (await host.ask.select(title, choices, { selected: policy.mode }));
		const wanted = approvalModes.find((name) => name === chosen);
		if (wanted && (await host.setApprovalMode(wanted)))
			host.notify(
				`Approval mode ${wanted}: ${modeMeanings[wanted]}.`,
				wanted === "full" ? "warning" : "success",
			);
	},
};
