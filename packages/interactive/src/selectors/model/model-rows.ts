/** The available models as a list to choose from: their order, their tabs, and the matches of a search. */
import type { Model } from "@tau/ai";
import { fuzzyFilter } from "@tau/sys";
import type { Tab } from "@tau/tui";
import {
	preferred,
	resolveModel,
	selector,
	type ModelRegistry,
	borrowedFrom,
	followRole,
	suggestedFor,
	modelRoles,
	type ModelRole,
} from "@tau/config/models";

export interface ModelRow {
	/** `provider/id`, or the role that leads to it. */
	key: string;
	model: Model;
	/** What is missing to use it. */
	missing?: string;
	isCurrent: boolean;
	isFavorite: boolean;
	role?: ModelRole;
	/** Set for a model that several providers sell: its maker's id, and the rows of the other providers. */
	canonical?: { id: string; others: readonly ModelRow[] };
}

/** What the tabs show. */
export interface ModelLists {
	rows: readonly ModelRow[];
	roles: readonly ModelRow[];
	/** Asked when its tab is opened: it compares every model with every other. */
	canonical(): readonly ModelRow[];
}

export interface ModelChoice {
	current: Model;
	/** `provider/id`, in the order in which they were chosen. */
	favorites: readonly string[];
}

const tabIds = {
	available: "available",
	all: "all",
	canonical: "canonical",
	favorites: "favorites",
	roles: "roles",
} as const;

/** Those that can be asked first; of each half, the one in use before the others. */
export function modelRows(registry: ModelRegistry, { current, favorites }: ModelChoice): ModelRow[] {
	const chosen = new Set(favorites.map((name) => name.toLowerCase()));
	const missing = new Map<string, string | undefined>();
	const whyNot = (provider: string): string | undefined => {
		if (!missing.has(provider)) missing.set(provider, registry.whyNot(provider));
		return missing.get(provider);
	};
	const known = registry.all().map((model): ModelRow => {
		const why = whyNot(model.provider);
		return {
			key: selector(model),
			model,
			...(why === undefined ? {} : { missing: why }),
			isCurrent: selector(model) === selector(current),
			isFavorite: chosen.has(selector(model).toLowerCase()),
		};
	});
	// A model that was given on the command line need not be in any list.
	const isKnown = known.some(({ isCurrent }) => isCurrent);
	const own: ModelRow = { key: selector(current), model: current, isCurrent: true, isFavorite: false };
	return (isKnown ? known : [own, ...known]).toSorted((a, b) => rank(a) - rank(b));
}

function rank({ isCurrent, missing }: ModelRow): number {
	if (isCurrent) return 0;
	return missing === undefined ? 1 : 2;
}

/** The models of the roles; a role that resolves to no model is left out. */
export function roleRows(registry: ModelRegistry, rows: readonly ModelRow[]): ModelRow[] {
	return modelRoles.flatMap((role) => {
		const model = modelOfRole(role, registry);
		const row = model && rows.find(({ key }) => key === selector(model));
		return row ? [{ ...row, key: `role ${role}`, role }] : [];
	});
}

/** Each model once, by the provider to use: the current one, else the first usable one in the user's order. */
export function canonicalRows(registry: ModelRegistry, rows: readonly ModelRow[]): ModelRow[] {
	const byKey = new Map(rows.map((row) => [row.key, row]));
	const groups = registry.canonical().groups();
	const listed = groups.flatMap(({ id, models }): ModelRow[] => {
		const sold = models.flatMap((model) => byKey.get(selector(model)) ?? []);
		const best = preferred(models, registry);
		const chosen =
			sold.find(({ isCurrent }) => isCurrent) ?? sold.find(({ model }) => model === best) ?? sold[0];
		if (!chosen) return [];
		const others = sold.filter((row) => row !== chosen);
		const isFavorite = sold.some((row) => row.isFavorite);
		return [{ ...chosen, key: `canonical ${id}`, isFavorite, canonical: { id, others } }];
	});
	// A model that was given on the command line is in no list of models.
	const isListed = listed.some(({ isCurrent }) => isCurrent);
	const own = isListed ? [] : rows.filter(({ isCurrent }) => isCurrent);
	return [...own, ...listed].toSorted((a, b) => rank(a) - rank(b));
}

/** What can be used, all, what was chosen, and then the providers: those that can be used before the others. */
export function modelTabs(rows: readonly ModelRow[], roles: readonly ModelRow[]): Tab[] {
	const providers = new Set(rows.map(({ model }) => model.provider));
	const ready = rows.filter(({ missing }) => missing === undefined).length;
	return [
		...(ready > 0 && ready < rows.length ? [{ id: tabIds.available, label: "Available" }] : []),
		{ id: tabIds.all, label: "All" },
		...(providers.size > 1 ? [{ id: tabIds.canonical, label: "Canonical" }] : []),
		...(rows.some(({ isFavorite }) => isFavorite) ? [{ id: tabIds.favorites, label: "Favorites" }] : []),
		...(roles.length > 0 ? [{ id: tabIds.roles, label: "Roles" }] : []),
		...[...providers].map((provider) => ({ id: `provider ${provider}`, label: provider })),
	];
}

/** Usable models come first even if others match better, because users have no key for most models. */
export function rowsIn(tab: string, search: string, lists: ModelLists): readonly ModelRow[] {
	const fitting = matches(rowsOfTab(tab, lists), search);
	// A search finds models without a key, too, where nothing else fits.
	if (tab === tabIds.available && fitting.length === 0 && search !== "")
		return rowsIn(tabIds.all, search, lists);
	return [
		...fitting.filter(({ missing }) => missing === undefined),
		...fitting.filter(({ missing }) => missing !== undefined),
	];
}

/** Each word of the search must occur as it is typed: letters that are scattered over a name match nearly everything. */
function matches(rows: readonly ModelRow[], search: string): readonly ModelRow[] {
	const wanted = versionsAlike(search).toLowerCase().split(/\s+/).filter(Boolean);
	const fits = (row: ModelRow): boolean => {
		const text = words(row).toLowerCase();
		const joined = text.replaceAll(between, "");
		return wanted.every((word) => text.includes(word) || joined.includes(word.replaceAll(between, "")));
	};
	return fuzzyFilter(rows.filter(fits), versionsAlike(search), words);
}

/** What separates the parts of a model's name. */
const between = /[-_./: ]/g;

/** The list of favorites with one more, or without the one that is in it already. */
export function toggled(favorites: readonly string[], name: string): string[] {
	const others = favorites.filter((each) => each.toLowerCase() !== name.toLowerCase());
	return others.length === favorites.length ? [...favorites, name] : others;
}

function rowsOfTab(tab: string, { rows, roles, canonical }: ModelLists): readonly ModelRow[] {
	if (tab === tabIds.canonical) return canonical();
	if (tab === tabIds.favorites) return rows.filter(({ isFavorite }) => isFavorite);
	if (tab === tabIds.roles) return roles;
	if (tab === tabIds.all) return rows;
	if (tab === tabIds.available) return rows.filter(({ missing }) => missing === undefined);
	return rows.filter(({ model }) => tab === `provider ${model.provider}`);
}

function words({ model, role, canonical }: ModelRow): string {
	return versionsAlike(`${role ?? ""} ${canonical?.id ?? model.id} ${model.name} ${model.provider}`);
}

/** Versions are written with dots and with dashes. */
function versionsAlike(text: string): string {
	return text.replaceAll(/(\d)\.(?=\d)/g, "$1-");
}

function modelOfRole(role: ModelRole, registry: ModelRegistry): Model | undefined {
	const target = followRole(role, registry.settings.roles);
	if (target.kind === "circle") return undefined;
	if (target.kind === "unset") {
		const other = borrowedFrom(target.role);
		return (
			suggestedFor(target.role, registry) ?? (other === undefined ? undefined : modelOfRole(other, registry))
		);
	}
	const resolved = resolveModel(target.pattern, registry.all(), registry);
	return resolved.ok ? resolved.model : undefined;
}
