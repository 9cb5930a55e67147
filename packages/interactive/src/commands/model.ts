/** `/model`: the list of models, and the mark in the transcript where another one answers. */
import { resolveModel } from "@tau/config/models";

import { model as row, type ModelData } from "@tau/session-commands/rows";
import { openModels } from "../selectors/model/open-models.ts";
import { onScreen } from "./on-screen.ts";

export const model = onScreen(row, {
	/** A name that fits no model, or several, is what the list is searched for. */
	open(args, host) {
		if (args !== "" && resolveModel(args, host.models.available(), host.registry).ok) return false;
		openModels(host, { search: args });
		return true;
	},
	pick(data) {
		const { models = [], current } = (data ?? {}) as Partial<ModelData>;
		const choices = models.map(({ model: value, name }) => ({
			value,
			label: value === current ? `${value} (now)` : value,
			description: name,
		}));
		return { title: "Model", choices };
	},
	// The transcript shows where another model begins when the session says so.
	draw: () => {},
});
