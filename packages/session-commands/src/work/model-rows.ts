/** The models of a session as a list to choose from, and the same list as data that every client can draw. */
import type { Model, ThinkingLevel } from "@tau/ai";
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
	/** Without its headers, which may hold keys. */
	model: Model;
	/** What is missing to use it. */
	missing?: string;
	isCurrent: boolean;
	isFavorite: boolean;
	role?: ModelRole;
	/** Set for a model that several providers sell: its maker's id, and the rows of the other providers. */
	canonical?: { id: string; others: readonly ModelRow[] };
}

export interface ModelChoice {
	current: Model;
	/** `provider/id`, in the order in which they were chosen. */
	favorites: readonly string[];
}

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
			model: withoutHeaders(model),
			...(why === undefined ? {} : { missing: why }),
			isCurrent: selector(model) === selector(current),
			isFavorite: chosen.has(selector(model).toLowerCase()),
		};
	});
	// A model that was given on the command line need not be in any list.
	const isKnown = known.some(({ isCurrent }) => isCurrent);
	const own: ModelRow = {
		key: selector(current),
		model: withoutHeaders(current),
		isCurrent: true,
		isFavorite: false,
	};
	return (isKnown ? known : [own, ...known]).toSorted((a, b) => rank(a) - rank(b));
}

function withoutHeaders({ headers: _, ...model }: Model): Model {
	return model;
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
			sold.find(({ isCurrent }) => isCurrent) ??
			sold.find(({ key }) => best !== undefined && key === selector(best)) ??
			sold[0];
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

/** The list of favorites with one more, or without the one that is in it already. */
export function toggled(favorites: readonly string[], name: string): string[] {
	const others = favorites.filter((each) => each.toLowerCase() !== name.toLowerCase());
	return others.length === favorites.length ? [...favorites, name] : others;
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

/** The list as data: roles and canonical models name their rows. */
export interface ModelListData {
	level: ThinkingLevel;
	listed: readonly ModelRow[];
	roles: readonly { role: ModelRole; key: string }[];
}

/** Each model once: the row of the provider to use, and those of the others. */
export interface CanonicalData {
	canonical: readonly { key: string; id?: string; isFavorite: boolean; others: readonly string[] }[];
}

export function modelListData(
	registry: ModelRegistry,
	{ level, ...choice }: ModelChoice & { level: ThinkingLevel },
): ModelListData {
	const listed = modelRows(registry, choice);
	const roles = roleRows(registry, listed).flatMap(({ role, model }) =>
		role === undefined ? [] : [{ role, key: selector(model) }],
	);
	return { level, listed, roles };
}

export function canonicalData(registry: ModelRegistry, choice: ModelChoice): CanonicalData {
	const rows = canonicalRows(registry, modelRows(registry, choice));
	return {
		canonical: rows.map(({ model, isFavorite, canonical }) => ({
			key: selector(model),
			...(canonical ? { id: canonical.id } : {}),
			isFavorite,
			others: canonical?.others.map(({ key }) => key) ?? [],
		})),
	};
}

/** The rows that the data names. */
export function rolesIn({ listed, roles }: ModelListData): ModelRow[] {
	const byKey = rowsByKey(listed);
	return roles.flatMap(({ role, key }) => {
		const named = byKey.get(key);
		return named ? [{ ...named, key: `role ${role}`, role }] : [];
	});
}

export function canonicalIn({ listed }: ModelListData, { canonical }: CanonicalData): ModelRow[] {
	const byKey = rowsByKey(listed);
	return canonical.flatMap(({ key, id, isFavorite, others }): ModelRow[] => {
		const named = byKey.get(key);
		if (!named || id === undefined) return named ? [named] : [];
		const more = others.flatMap((other) => byKey.get(other) ?? []);
		return [{ ...named, key: `canonical ${id}`, isFavorite, canonical: { id, others: more } }];
	});
}

function rowsByKey(rows: readonly ModelRow[]): ReadonlyMap<string, ModelRow> {
	return new Map(rows.map((each) => [each.key, each]));
}
