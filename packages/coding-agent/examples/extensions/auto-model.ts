/** A virtual model: --model auto/auto sends short prompts to a cheap model and long ones to an expensive one. */
import type { ExtensionAPI } from "@tau/coding-agent";

interface Memory {
	isHard: boolean;
}

export default function autoModel(pi: ExtensionAPI) {
	pi.registerVirtualModel<Memory>({
		provider: "auto",
		id: "auto",
		name: "Auto",
		thinkingLevels: ["off", "low", "high"],
		route({ reason, state, previous, messages, thinkingLevel }, ctx) {
			// A run stays with its model: changing it would lose the provider's cache.
			if (reason === "continuation" && previous) return { model: previous.model, thinkingLevel };
			const isHard = state?.isHard || JSON.stringify(messages.at(-1)).length > 2000;
			const byPrice = ctx.models
				.list()
				.filter(({ provider }) => provider !== "auto")
				.toSorted((one, other) => one.cost.output - other.cost.output);
			const model = isHard ? byPrice.at(-1) : byPrice[0];
			if (!model) throw new Error("There is no model with a key.");
			return { model, thinkingLevel, ...(isHard === state?.isHard ? {} : { state: { isHard } }) };
		},
	});
	pi.registerCommand("no-auto", {
		description: "Remove the model auto/auto",
		handler: () => pi.unregisterVirtualModel("auto", "auto"),
	});
}
