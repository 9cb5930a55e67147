/** `/plan`: nothing is changed until the user has approved a plan. */
import type { SlashCommand } from "./command.ts";

export const plan: SlashCommand = {
	name: "plan",
	yieldsToPrompts: true,
	group: "Tools",
	argumentHint: "[what to plan]",
	description: "Plan first: nothing is changed until you approve",
	details:
		"Commands run, but cannot write. The model of the role `plan` reads and asks, then presents a plan: approve it, edit it, or keep planning with feedback. /plan again leaves plan mode.",
	async run(args, host) {
		const { policy } = host.sessionHost;
		if (!policy) return host.notify("This session has no approvals.", "warning");
		if (policy.isReadOnly && args === "") {
			const mode = policy.leavePlan();
			return host.notify(`Plan mode has ended. Approval mode ${mode}.`, "success");
		}
		if (!policy.isReadOnly) policy.setMode("plan");
		host.notify("Plan mode: nothing is changed until you approve a plan.", "info");
		if (args !== "") host.prompt(args);
	},
};
