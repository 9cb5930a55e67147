/** Adds a command with completion that asks for confirmation: /deploy staging. */
import type { ExtensionAPI } from "@tau/coding-agent";

const places = ["staging", "production"];

export default function deploy(pi: ExtensionAPI) {
	pi.registerCommand("deploy", {
		description: "Deploy the project",
		getArgumentCompletions: (prefix) =>
			places.filter((place) => place.startsWith(prefix)).map((place) => ({ value: place, label: place })),
		async handler(args, ctx) {
			if (!places.includes(args)) {
				ctx.ui.notify(`Where to? ${places.join(" or ")}`, "warning");
				return;
			}
			const isSure = args !== "production" || (await ctx.ui.confirm("Deploy", "To production, really?"));
			if (!isSure) return;
			await ctx.waitForIdle();
			pi.sendUserMessage(`Run the deploy script for ${args}, and tell me what it printed.`);
		},
	});
}
