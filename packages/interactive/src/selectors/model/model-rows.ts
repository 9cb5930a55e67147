/** The list of models on the screen: its tabs, and the matches of a search. */
import { fuzzyFilter } from "@tau/sys";
import type { Tab } from "@tau/tui";

import type { ModelRow } from "@tau/session-commands/work";

/** What the tabs show. */
export interface ModelLists {
	rows: readonly ModelRow[];
	roles: readonly ModelRow[];
	/** Asked when its tab is opened: it compares every model with every other. */
	canonical(): readonly ModelRow[];
}

const tabIds = {
	available: "available",
	all: "all",
	canonical: "canonical",
	favorites: "favorites",
	roles: "roles",
} as const;

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
