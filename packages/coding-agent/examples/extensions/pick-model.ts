/** Chooses from the usable models, cheap ones first: /pick, or /pick name. */
import type { ExtensionAPI } from "@tau/coding-agent";

export default function pickModel(pi: ExtensionAPI) {
	pi.registerCommand("pick", {
		description: "Choose a model, cheap ones first",
		async handler(args, ctx) {
			const { scopedModels, models, modelRegistry, ui } = ctx;
			const usable = scopedModels.length > 0 ? scopedModels.map(({ model }) => model) : models.list();
			const items = usable
				.toSorted((one, other) => one.cost.input - other.cost.input)
				.map(({ provider, id, cost }) => ({
					label: `${provider}/${id}`,
					description: `$${cost.input} a million`,
				}));
			const name = args === "" ? await ui.select("Which model?", items) : args;
			const model = name === undefined ? undefined : (modelRegistry.find(name) ?? models.resolve(name));
			if (!model) return ui.notify(`There is no model ${name ?? "then"}.`, "warning");
			const isDone = await pi.setModel(model);
			return ui.notify(
				isDone ? `Now with ${models.current()?.name}.` : `There is no key for ${model.provider}.`,
			);
		},
	});
}
