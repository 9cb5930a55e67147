/** Turns what a person typed after `--model` into a model, or into a helpful no. */
import { thinkingLevels, type Model, type ThinkingLevel } from "@tau/ai";
import { nearest } from "@tau/utils";

import { limits } from "./limits.ts";

export type Resolved = { ok: true; model: Model; thinking?: ThinkingLevel } | { ok: false; message: string };

/** Exact `provider/id`, then an exact id, then a part of either that only one model has; `:high` may follow. */
export function resolveModel(pattern: string, models: readonly Model[]): Resolved {
	const whole = find(pattern, models);
	if (whole.ok) return whole;
	const colon = pattern.lastIndexOf(":");
	const level = thinkingLevels.find((name) => name === pattern.slice(colon + 1));
	if (colon < 0 || !level) return whole;
	const found = find(pattern.slice(0, colon), models);
	return found.ok ? { ...found, thinking: level } : found;
}

export function selector(model: Model): string {
	return `${model.provider}/${model.id}`;
}

function find(pattern: string, models: readonly Model[]): Resolved {
	const wanted = pattern.toLowerCase();
	const exact =
		models.find((model) => selector(model).toLowerCase() === wanted) ??
		models.find((model) => model.id.toLowerCase() === wanted);
	if (exact) return { ok: true, model: exact };
	const containing =
		wanted === "" ? [] : models.filter((model) => selector(model).toLowerCase().includes(wanted));
	const [only] = containing;
	if (only && containing.length === 1) return { ok: true, model: only };
	if (containing.length > 1) {
		return { ok: false, message: `"${pattern}" fits several models: ${listed(containing.map(selector))}` };
	}
	const near = nearModels(pattern, models);
	const known = near.length > 0 ? `Did you mean ${listed(near)}?` : `Known: ${listed(models.map(selector))}`;
	return { ok: false, message: `Unknown model "${pattern}". ${known}` };
}

/** A person may have meant the provider with the id or the id alone; either way a model is named once. */
function nearModels(pattern: string, models: readonly Model[]): string[] {
	const byName = new Map(
		models.flatMap((model): [string, Model][] => [
			[model.id, model],
			[selector(model), model],
		]),
	);
	const near = nearest(pattern, byName.keys(), limits.nearMatches).map((name) => byName.get(name));
	return [...new Set(near.filter((model) => model !== undefined).map(selector))];
}

function listed(names: readonly string[]): string {
	const shown = names.slice(0, limits.nearMatches);
	return shown.join(", ") + (names.length > shown.length ? ` and ${names.length - shown.length} more` : "");
}
