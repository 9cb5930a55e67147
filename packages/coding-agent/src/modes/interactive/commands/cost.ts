/** `/cost`: what the session has used and paid. */
import { drawCost } from "../selectors/cost/draw-cost.ts";
import { report } from "../selectors/kit/report.ts";
import type { SlashCommand } from "./command.ts";

export const cost: SlashCommand = {
	name: "cost",
	group: "Model",
	description: "Show token usage and cost by model and turn",
	run(_, host) {
		const { usage } = host.session;
		// The state at the time of the command.
		const facts = structuredClone({
			totals: usage.totals,
			byModel: usage.byModel(),
			byTurn: usage.byTurn(),
		});
		host.print(report(host.theme, (width, theme) => drawCost(facts, width, theme)));
	},
};
