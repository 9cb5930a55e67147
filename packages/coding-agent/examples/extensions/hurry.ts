/** Requests fast or cheap service from providers: /hurry, /hurry flex, /hurry off. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function hurry(pi: ExtensionAPI) {
	pi.registerCommand("hurry", {
		description: "Request fast (priority), cheap (flex) or normal (off) service",
		getArgumentCompletions: () => ["priority", "flex", "off"].map((value) => ({ value, label: value })),
		handler(args, ctx) {
			const tier = args === "off" ? undefined : args || "priority";
			for (const family of ["openai", "anthropic", "google"] as const) pi.setServiceTier(family, tier);
			const [now = "as usual"] = Object.values(pi.getServiceTiers());
			ctx.ui.setStatus("hurry", tier);
			ctx.ui.notify(`From now on: ${now}.`);
		},
	});
}
