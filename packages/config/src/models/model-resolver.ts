/** Resolves the user's text for a model to a model, or to a helpful error. */
import { providerOf, thinkingLevels, type Model, type ThinkingLevel } from "@tau/ai";
import { nearest } from "@tau/utils";

import { CanonicalIndex } from "./canonical.ts";
import { limits } from "./limits.ts";

export type Resolved = { ok: true; model: Model; thinking?: ThinkingLevel } | { ok: false; message: string };

/** Decides between several matching models. A registry implements this. */
export interface Preferences {
	isAvailable(model: Model): boolean;
	canonical(): CanonicalIndex;
	settings: { providerOrder: readonly string[] };
}

/**
 * Tries an exact `provider/id`, then the canonical id, then an exact id, then a part: of one model, or of several
 * versions of one, of which the newest is chosen. `:high` may follow. A name with a provider means this provider's
 * model and no other.
 */
export function resolveModel(pattern: string, models: readonly Model[], preferences?: Preferences): Resolved {
	const choice = preferences ?? indifferent(models);
	return withLevel(pattern, (name) => find(name, models, choice));
}

/** Tries a name as a whole, because ids may contain colons, and then without a level at its end. */
export function withLevel(pattern: string, look: (name: string) => Resolved): Resolved {
	const whole = look(pattern);
	if (whole.ok) return whole;
	const { name, level } = splitLevel(pattern);
	if (!level) return whole;
	const resolved = look(name);
	return resolved.ok ? { ...resolved, thinking: level } : resolved;
}

export function splitLevel(pattern: string): { name: string; level?: ThinkingLevel } {
	const colon = pattern.lastIndexOf(":");
	const level = thinkingLevels.find((known) => known === pattern.slice(colon + 1));
	return colon >= 0 && level ? { name: pattern.slice(0, colon), level } : { name: pattern };
}

export function selector(model: Model): string {
	return `${model.provider}/${model.id}`;
}

/** Picks one of several variants of a model: usable ones first, then by the user's order of providers. */
export function preferred(models: readonly Model[], choice: Preferences): Model | undefined {
	const usable = models.filter((model) => choice.isAvailable(model));
	const order = choice.settings.providerOrder;
	const rank = ({ provider }: Model): number => {
		const at = order.indexOf(provider);
		return at < 0 ? order.length : at;
	};
	return (usable.length > 0 ? usable : models).toSorted((a, b) => rank(a) - rank(b))[0];
}

function indifferent(models: readonly Model[]): Preferences {
	return {
		isAvailable: () => true,
		canonical: () => new CanonicalIndex(models),
		settings: { providerOrder: [] },
	};
}

function find(pattern: string, models: readonly Model[], choice: Preferences): Resolved {
	const requested = pattern.toLowerCase();
	const named = models.find((model) => selector(model).toLowerCase() === requested);
	if (named) return { ok: true, model: named };
	const ofProvider = namedProvider(pattern, models);
	if (ofProvider) return ofProvider;
	const exact =
		preferred(choice.canonical().variants(pattern), choice) ??
		preferred(
			models.filter((model) => model.id.toLowerCase() === requested),
			choice,
		);
	if (exact) return { ok: true, model: exact };
	// With a slash it is the name of a model, not a search term.
	if (pattern.includes("/")) return unknown(pattern, models);
	const fitting = candidates(pattern, models, choice);
	const [only] = newestVersions(fitting, choice);
	if (only) return { ok: true, model: only };
	if (fitting.length > 0) {
		return { ok: false, message: `"${pattern}" matches several models: ${listed(fitting.map(selector))}` };
	}
	return unknown(pattern, models);
}

/**
 * The model of the provider that the name begins with; undefined if it begins with none. Only the spelling may differ:
 * another version, or the same model of another company, is not what the user asked for.
 */
function namedProvider(pattern: string, models: readonly Model[]): Resolved | undefined {
	const slash = pattern.indexOf("/");
	if (slash < 0) return undefined;
	const name = pattern.slice(0, slash).toLowerCase();
	const provider = providerOf(name)?.id ?? name;
	const own = models.filter((model) => [name, provider].includes(model.provider.toLowerCase()));
	if (own.length === 0 && !providerOf(name)) return undefined;
	const id = plain(pattern.slice(slash + 1));
	const model = own.find((each) => plain(each.id) === id);
	return model ? { ok: true, model } : unknown(pattern, models, own);
}

/** Suggests models of the provider that was named before others. */
function unknown(pattern: string, models: readonly Model[], own: readonly Model[] = []): Resolved {
	const near = nearestOf(pattern, own, models);
	const all = own.length > 0 ? own : models;
	const known = near.length > 0 ? `Did you mean ${listed(near)}?` : `Known: ${listed(all.map(selector))}`;
	return { ok: false, message: `Unknown model "${pattern}". ${known}` };
}

/** Returns models that contain the pattern, or all its words in order; prefers usable and official ones. */
function candidates(pattern: string, models: readonly Model[], choice: Preferences): readonly Model[] {
	const requested = plain(pattern);
	if (requested === "") return [];
	const containing = models.filter((model) => plain(selector(model)).includes(requested));
	const words = requested.split(/[^a-z0-9]+/).filter(Boolean);
	const fitting =
		containing.length > 0 || words.length < 2
			? containing
			: models.filter((model) => hasInOrder(plain(selector(model)), words));
	const index = choice.canonical();
	const usable = some(fitting, (model) => choice.isAvailable(model));
	return some(usable, (model) => index.isOfficial(index.idOf(model)));
}

/** Returns the items that satisfy the test, or all items if none does. */
function some(models: readonly Model[], holds: (model: Model) => boolean): readonly Model[] {
	const kept = models.filter(holds);
	return kept.length > 0 ? kept : models;
}

/** Versions are written with dots and with dashes. */
function plain(text: string): string {
	return text.toLowerCase().replaceAll(".", "-").trim();
}

function hasInOrder(text: string, words: readonly string[]): boolean {
	let from = 0;
	for (const word of words) {
		const at = text.indexOf(word, from);
		if (at < 0) return false;
		from = at + word.length;
	}
	return true;
}

/** Returns the newest of models that differ only in their version; undefined if they differ in more. */
function newestVersions(models: readonly Model[], choice: Preferences): Model[] {
	const index = choice.canonical();
	const ids = [...new Set(models.map((model) => index.idOf(model)))];
	const families = new Set(ids.map(family));
	if (families.size !== 1) return [];
	const [newest] = ids.toSorted((a, b) => compareVersions(b, a));
	const best = preferred(
		models.filter((model) => index.idOf(model) === newest),
		choice,
	);
	return best ? [best] : [];
}

/** Returns the id without its numbers, which names the kind of model. */
function family(id: string): string {
	return id.toLowerCase().replace(/[-.@:]?\d+(?=$|[-.@:])/g, "");
}

/** A dated snapshot is not newer than the name that always means the latest of its version. */
function compareVersions(a: string, b: string): number {
	const numbers = (id: string): number[] =>
		(id.match(/\d+/g) ?? []).map(Number).filter((each) => each < 10_000);
	const [left, right] = [numbers(a), numbers(b)];
	for (let at = 0; at < Math.max(left.length, right.length); at++) {
		const difference = (left[at] ?? 0) - (right[at] ?? 0);
		if (difference !== 0) return difference;
	}
	return b.length - a.length;
}

/** The user may have meant another model of the provider, or this one of another provider. */
function nearestOf(pattern: string, ...lists: (readonly Model[])[]): string[] {
	const id = pattern.slice(pattern.indexOf("/") + 1);
	for (const list of lists) {
		for (const word of new Set([pattern, id])) {
			const near = nearModels(word, list);
			if (near.length > 0) return near;
		}
	}
	return [];
}

/** The user may have meant the provider with the id or the id alone; either way a model is listed once. */
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
