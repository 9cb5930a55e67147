/** Groups the models of several providers under their maker's id. */
import { providers, type Model } from "@tau/ai";

import type { EquivalenceConfig } from "./models-file/index.ts";

const makers = new Set(providers.filter(({ maker }) => maker).map(({ id }) => id));

export class CanonicalIndex {
	readonly #groups = new Map<string, Model[]>();
	readonly #ids = new Map<Model, string>();
	/** Official ids with their spelling, by their lower case. */
	readonly #official = new Map<string, string>();
	/** Official ids by their form with normalized versions; null if two official ids have the same form. */
	readonly #alike = new Map<string, string | null>();
	readonly #overrides: ReadonlyMap<string, string>;
	readonly #excluded: ReadonlySet<string>;

	constructor(models: readonly Model[], { overrides = {}, exclude = [] }: EquivalenceConfig = {}) {
		this.#overrides = new Map(Object.entries(overrides).map(([name, id]) => [name.toLowerCase(), id]));
		this.#excluded = new Set(exclude.map((name) => name.toLowerCase()));
		for (const { provider, id } of models) if (makers.has(provider)) this.#admit(id);
		for (const model of models) {
			const id = this.#find(model);
			this.#ids.set(model, id);
			const key = id.toLowerCase();
			const group = this.#groups.get(key);
			if (group) group.push(model);
			else this.#groups.set(key, [model]);
		}
	}

	idOf(model: Model): string {
		return this.#ids.get(model) ?? model.id;
	}

	/** The models of a canonical id, in the order of the registry. */
	variants(id: string): readonly Model[] {
		return this.#groups.get(id.toLowerCase()) ?? [];
	}

	isOfficial(id: string): boolean {
		return this.#official.has(id.toLowerCase());
	}

	/** Canonical ids with their models, in the order of the registry. */
	groups(): { id: string; models: readonly Model[] }[] {
		return [...this.#groups.values()].flatMap((models) =>
			models[0] ? [{ id: this.idOf(models[0]), models }] : [],
		);
	}

	#admit(id: string): void {
		const lower = id.toLowerCase();
		if (this.#official.has(lower)) return;
		this.#official.set(lower, id);
		const alike = normalForm(id);
		this.#alike.set(alike, this.#alike.has(alike) ? null : id);
	}

	/** Tries the user's mapping, the makers' mapping, the same without prefixes and spellings, then its own id. */
	#find(model: Model): string {
		const selector = `${model.provider}/${model.id}`.toLowerCase();
		const text = this.#overrides.get(selector);
		if (text !== undefined) return text;
		if (this.#excluded.has(selector)) return model.id;
		const candidates = [...withoutPrefixes(model.id)];
		for (const candidate of candidates) {
			const official = this.#official.get(candidate.toLowerCase());
			if (official !== undefined) return official;
		}
		for (const candidate of candidates) {
			const official = this.#alike.get(normalForm(candidate));
			if (typeof official === "string") return official;
		}
		return model.id;
	}
}

/** `us.anthropic.some-model` and `vendor/some-model` contain the official id after a gateway's prefix. */
function* withoutPrefixes(id: string): Generator<string> {
	yield id;
	for (const { index } of id.matchAll(/[/.](?=[a-z])/gi)) yield id.slice(index + 1);
}

/** Versions with dots and with dashes are equal; Bedrock's revision suffix, as in `-v1:0`, is ignored. */
function normalForm(id: string): string {
	return id
		.toLowerCase()
		.replace(/-v\d+(?::\d+)?$/, "")
		.replace(/(?<=\d)\.(?=\d)/g, "-");
}
