/** Plan mode: /plan takes writing tools away until the user accepts the plan, which the model then carries out. */
import type { ExtensionAPI, ExtensionContext } from "@tau/coding-agent";

const reading = ["read", "grep", "find", "ls"];

export default function planFirst(pi: ExtensionAPI) {
	let before: string[] | undefined;
	const leave = ({ ui }: ExtensionContext): void => {
		if (before) pi.setActiveTools(before);
		before = undefined;
		ui.setStatus("plan", undefined);
	};
	pi.registerCommand("plan", {
		description: "Plan before anything is changed, or stop planning",
		handler(_args, ctx) {
			if (before) return leave(ctx);
			before = pi.getActiveTools();
			pi.setActiveTools(reading);
			return ctx.ui.setStatus("plan", "planning");
		},
	});
	pi.on("before_agent_start", ({ systemPrompt }) =>
		before ? { systemPrompt: `${systemPrompt}\n\nOnly plan: answer with numbered steps.` } : undefined,
	);
	pi.on("agent_end", async (_event, ctx) => {
		if (!before || !ctx.hasUI) return;
		if (!(await ctx.ui.confirm("Carry out this plan?", "The tools that change files come back."))) return;
		leave(ctx);
		await pi.sendUserMessage("Carry out the plan.", { deliverAs: "followUp" });
	});
}
