/** `/scoped-models`: the models that Ctrl+P cycles through. */
import type { InteractiveHost } from "../host.ts";
import { openSelector } from "../selectors/open.ts";
import { scopedModelsSelector, type ScopedModelRow } from "../selectors/scoped-models/selector.ts";
import type { SlashCommand } from "./command.ts";

export const scopedModels: SlashCommand = {
	name: "scoped-models",
	group: "Model",
	description: "Choose the models that Ctrl+P cycles through",
	run(_, host) {
		openSelector(host, (screen, close) => ({
			component: scopedModelsSelector(screen, {
				models: () => rowsOf(host),
				toggle: (model) => toggle(host, model),
				save: () => save(host),
				close,
			}),
		}));
	},
};

function rowsOf({ models }: InteractiveHost): ScopedModelRow[] {
	const on = new Set(models.scoped().map(({ model }) => model));
	return models
		.available()
		.map((model) => ({ id: `${model.provider}/${model.id}`, name: model.name, isOn: on.has(model) }));
}

/** For this session; patterns become the models that they match. */
async function toggle(host: InteractiveHost, { id, isOn }: ScopedModelRow): Promise<void> {
	const chosen = rowsOf(host).flatMap((row) => (row.isOn ? [row.id] : []));
	const value = isOn ? chosen.filter((other) => other !== id) : [...chosen, id];
	const outcome = await host.sessionHost.apply({ type: "setting", path: "enabledModels", value });
	if (!outcome.ok) host.notify(outcome.reason, "error");
}

async function save(host: InteractiveHost): Promise<void> {
	const value = rowsOf(host).flatMap((row) => (row.isOn ? [row.id] : []));
	const outcome = await host.settings.set("enabledModels", value, "global");
	if (outcome.ok) host.notify("Saved the models to cycle through (enabledModels).", "success");
	else host.notify(outcome.reason, "error");
}
