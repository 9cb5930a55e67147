/** Finds the models that match patterns, for `--models` and `enabledModels`. */
import type { Model, ThinkingLevel } from "@tau/ai";

import type { ModelRegistry } from "./model-registry.ts";
import { resolveModel, selector, splitLevel } from "./model-resolver.ts";

export interface ScopedModel {
	model: Model;
	thinking?: ThinkingLevel;
}

export interface Scope {
	/** The models in the order of the patterns, each model once. */
	models: ScopedModel[];
	/** Patterns that match no model, and why. */
	problems: string[];
}

/**
 * `openai/*` and `*sonnet*` are globs over `provider/id` and over the id; a canonical id matches all its variants,
 * `provider/id` matches itself; anything else is resolved as `--model` does.
 */
export function scopeOf(patterns: readonly string[], registry: ModelRegistry): Scope {
	const scope: Scope = { models: [], problems: [] };
	const seen = new Set<Model>();
	for (const pattern of patterns) {
		const found = expand(pattern, registry);
		if (typeof found === "string") scope.problems.push(found);
		else {
			for (const scoped of found) {
				if (seen.has(scoped.model)) continue;
				seen.add(scoped.model);
				scope.models.push(scoped);
			}
		}
	}
	return scope;
}

function expand(pattern: string, registry: ModelRegistry): ScopedModel[] | string {
	const { name, level } = splitLevel(pattern);
	const scoped = (models: readonly Model[]): ScopedModel[] =>
		models.map((model) => (level ? { model, thinking: level } : { model }));
	if (/[*?[]/.test(name)) {
		const fits = globMatcher(name);
		const models = registry.all().filter((model) => fits(selector(model)) || fits(model.id));
		return models.length > 0 ? scoped(models) : `No model matches "${pattern}".`;
	}
	const exact = registry.find(pattern) ?? registry.find(name);
	if (exact) return registry.find(pattern) ? [{ model: exact }] : scoped([exact]);
	const variants = registry.canonical().variants(name);
	if (variants.length > 0) return scoped(variants);
	const resolved = resolveModel(pattern, registry.all(), registry);
	if (!resolved.ok) return resolved.message;
	return [{ model: resolved.model, ...(resolved.thinking ? { thinking: resolved.thinking } : {}) }];
}

/** Whether a pattern without a level names the model: as a glob, or as it is. */
export function matchesModel(pattern: string, model: Model): boolean {
	const fits = globMatcher(pattern);
	return fits(selector(model)) || fits(model.id);
}

/** `*` is any text, `?` one character, `[ab]` one of them. Ids contain slashes, so a slash is not a separator. */
function globMatcher(pattern: string): (text: string) => boolean {
	const source = pattern.replace(/\*+|\?|\[[^\]]*\]|[\s\S]/g, (part) => {
		if (part.startsWith("*")) return ".*";
		if (part === "?") return ".";
		if (part.length > 2 && part.startsWith("[")) {
			return `[${part
				.slice(1, -1)
				.replace(/^!/, "^")
				.replace(/[\\[\]]/g, "\\$&")}]`;
		}
		return RegExp.escape(part);
	});
	try {
		const regex = new RegExp(`^${source}$`, "is");
		return (text) => regex.test(text);
	} catch {
		// An invalid range such as [z-a] matches nothing, and the scope reports that.
		return () => false;
	}
}
