/** The models that there are, as a list that a person chooses from: which first, in which tabs, and which fit a search. */
import type { Model } from "@tau/ai";
import { fuzzyFilter } from "@tau/sys";
import type { Tab } from "@tau/tui";

import { selector, resolveModel } from "../../../../config/model-resolver.ts";
import type { ModelRegistry } from "../../../../config/model-registry.ts";
import { borrowedFrom, followRole, suggestedFor } from "../../../../config/model-roles.ts";
import { modelRoles, type ModelRole } from "../../../../config/model-settings.ts";

export interface ModelRow {
	/** `provider/id`, or the role that leads to it. */
	key: string;
	model: Model;
	/** What is missing to use it. */
	missing?: string;
	isCurrent: boolean;
	isFavourite: boolean;
	role?: ModelRole;
}

export interface ModelChoice {
	current: Model;
	/** `provider/id`, in the order in which they were chosen. */
	favourites: readonly string[];
}

const tabIds = { all: "all", favourites: "favourites", roles: "roles" } as const;

/** Those that can be asked first; of each half, the one in use before the others. */
export function modelRows(registry: ModelRegistry, { current, favourites }: ModelChoice): ModelRow[] {
	const chosen = new Set(favourites.map((name) => name.toLowerCase()));
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
			isFavourite: chosen.has(selector(model).toLowerCase()),
		};
	});
	// A model that was given on the command line need not be in any list.
	const isKnown = known.some(({ isCurrent }) => isCurrent);
	const own: ModelRow = { key: selector(current), model: current, isCurrent: true, isFavourite: false };
	const rank = ({ isCurrent, missing: why }: ModelRow): number => (isCurrent ? 0 : why === undefined ? 1 : 2);
	return (isKnown ? known : [own, ...known]).toSorted((a, b) => rank(a) - rank(b));
}

/** What the roles stand for; a role that leads to no model is left out. */
export function roleRows(registry: ModelRegistry, rows: readonly ModelRow[]): ModelRow[] {
	return modelRoles.flatMap((role) => {
		const model = modelOfRole(role, registry);
		const row = model && rows.find(({ key }) => key === selector(model));
		return row ? [{ ...row, key: `role ${role}`, role }] : [];
	});
}

/** All, what was chosen, and then the providers: those that can be used before the others. */
export function modelTabs(rows: readonly ModelRow[], roles: readonly ModelRow[]): Tab[] {
	const providers = new Set(rows.map(({ model }) => model.provider));
	return [
		{ id: tabIds.all, label: "All" },
		...(rows.some(({ isFavourite }) => isFavourite) ? [{ id: tabIds.favourites, label: "Favourites" }] : []),
		...(roles.length > 0 ? [{ id: tabIds.roles, label: "Roles" }] : []),
		...[...providers].map((provider) => ({ id: `provider ${provider}`, label: provider })),
	];
}

export function rowsIn(
	tab: string,
	search: string,
	{ rows, roles }: { rows: readonly ModelRow[]; roles: readonly ModelRow[] },
): readonly ModelRow[] {
	return fuzzyFilter(rowsOfTab(tab, rows, roles), versionsAlike(search), words);
}

/** The list of favourites with one more, or without the one that is in it already. */
export function toggled(favourites: readonly string[], name: string): string[] {
	const others = favourites.filter((each) => each.toLowerCase() !== name.toLowerCase());
	return others.length === favourites.length ? [...favourites, name] : others;
}

function rowsOfTab(tab: string, rows: readonly ModelRow[], roles: readonly ModelRow[]): readonly ModelRow[] {
	if (tab === tabIds.favourites) return rows.filter(({ isFavourite }) => isFavourite);
	if (tab === tabIds.roles) return roles;
	if (tab === tabIds.all) return rows;
	return rows.filter(({ model }) => tab === `provider ${model.provider}`);
}

function words({ model, role }: ModelRow): string {
	return versionsAlike(`${role ?? ""} ${model.id} ${model.name} ${model.provider}`);
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
