/** Lets the user choose the model that answers from the next turn on. */
import { getKeybindings, keyHint, rawKeyHint, type Theme } from "@tau/tui";
import { levelsOf, type Model, type ThinkingLevel } from "@tau/ai";

import {
	canonicalIn,
	rolesIn,
	type CanonicalData,
	type ModelListData,
	type ModelRow,
} from "@tau/session-commands/work";
import { tokens } from "../../views/format.ts";
import { Picker } from "../kit/picker.ts";
import { plain, row, type Column } from "../kit/row.ts";
import type { PickerScreen } from "../kit/spec.ts";
import { modelTabs, rowsIn } from "./model-rows.ts";

export interface ModelSelectorParts {
	models: ModelListData;
	/** Asked when its tab is opened: it compares every model with every other. */
	canonical(): CanonicalData | Promise<CanonicalData>;
	search?: string;
	/** Rejects with why it cannot be used. Without a level, that of the session stays. */
	use(model: Model, level: ThinkingLevel | undefined): Promise<void>;
	/** Makes it the model of new sessions. */
	setDefault(name: string): Promise<void>;
	/** Adds it to the favorites, or takes it out. Resolves with the list as it is then. */
	toggleFavorite(name: string): Promise<ModelListData>;
	/** Asks for the key or login of a provider. */
	connect(provider: string): void;
	/** The tab that is open at first. */
	tab?: string;
	close(): void;
}

export function modelSelector(screen: PickerScreen, parts: ModelSelectorParts): Picker<ModelRow> {
	const { use, close } = parts;
	let { models } = parts;
	let roles = rolesIn(models);
	let once: ModelRow[] | undefined;
	const canonical = (): ModelRow[] => {
		if (once) return once;
		const grouped = parts.canonical();
		if (!(grouped instanceof Promise)) return (once = canonicalIn(models, grouped));
		once = [];
		picker.run(async () => {
			once = canonicalIn(models, await grouped);
			picker.refresh();
		});
		return once;
	};
	// A canonical model stays one: which provider answers is decided at each start.
	const keep = async ({ model, canonical: own }: ModelRow): Promise<void> => {
		const name = own?.id ?? nameOf(model);
		await parts.setDefault(name);
		picker.showMessage(`${plain(name)} is now the default model.`, "success");
	};
	const toggleFavorite = async (model: Model): Promise<void> => {
		models = await parts.toggleFavorite(nameOf(model));
		roles = rolesIn(models);
		once = undefined;
		picker.refresh();
	};
	// What was chosen here counts when a model is chosen, as far as that model can do it.
	let chosen: ThinkingLevel | undefined;
	const deepen = (model: Model): void => {
		const levels = levelsOf(model);
		const at = levels.indexOf(shownLevel(model, chosen ?? models.level));
		chosen = levels[(at + 1) % levels.length];
	};
	const picker = new Picker<ModelRow>(screen, {
		title: "Model",
		tabs: () => modelTabs(models.listed, roles),
		...(parts.search === undefined ? {} : { search: parts.search }),
		...(parts.tab === undefined ? {} : { tab: parts.tab }),
		items: (search, tab) => rowsIn(tab, search, { rows: models.listed, roles, canonical }),
		idOf: ({ key }) => key,
		row: modelLine,
		about: (item, width, theme) => [
			...aboutModel(item, width, theme),
			thinkingLine(item.model, chosen ?? models.level, theme),
		],
		aboutRows: 3,
		empty: (search) => (search === "" ? "No models" : `No model matches "${plain(search)}"`),
		hints: (theme, item) => [
			keyHint(theme, "tui.select.confirm", item?.missing === undefined ? "use" : "log in"),
			keyHint(theme, "app.list.nextTab", "next tab"),
			item && levelsOf(item.model).length > 1 ? keyHint(theme, "app.models.thinking", "thinking") : "",
			keyHint(theme, "app.models.favorite", "favorite"),
			keyHint(theme, "app.models.save", "set as default"),
			rawKeyHint(theme, "escape", "close"),
		],
		onKey: (data, item) => {
			const keys = getKeybindings();
			if (keys.matches(data, "app.models.thinking")) {
				if (item) deepen(item.model);
				return true;
			}
			const isFavorite = keys.matches(data, "app.models.favorite");
			if (!isFavorite && !keys.matches(data, "app.models.save")) return false;
			if (item) picker.run(() => (isFavorite ? toggleFavorite(item.model) : keep(item)));
			return true;
		},
		onConfirm: async ({ model, missing }) => {
			if (missing === undefined) await use(model, chosen && shownLevel(model, chosen));
			close();
			if (missing !== undefined) parts.connect(model.provider);
		},
		onCancel: close,
	});
	return picker;
}

function nameOf({ provider, id }: Model): string {
	return `${provider}/${id}`;
}

function modelLine(item: ModelRow, width: number, theme: Theme): string {
	const { model, missing, isCurrent, isFavorite, role, canonical } = item;
	const dim = (text: string): string => theme.fg("dim", text);
	const marks = `${isCurrent ? "●" : " "}${isFavorite ? "★" : " "}`;
	const columns: Column[] = [
		{ text: `${plain(model.provider)}${more(canonical)}`, width: 14, paint: dim },
		{
			text: model.contextWindow > 0 ? tokens(model.contextWindow) : "?",
			width: 5,
			align: "right",
			paint: dim,
		},
		{ text: priceOf(model), width: 11, align: "right", paint: dim },
		{ text: missing === undefined ? "" : "no key", width: 6, paint: dim },
	];
	const id = plain(canonical?.id ?? model.id);
	const name = role === undefined ? id : `${role}: ${id}`;
	return row(`${marks} ${name}`, columns, width, (text) =>
		missing === undefined ? text : theme.fg("dim", text),
	);
}

/** How many others sell it. */
function more(canonical: ModelRow["canonical"]): string {
	return canonical && canonical.others.length > 0 ? ` +${canonical.others.length}` : "";
}

/** The other providers: available ones before the others. */
function sellers({ others }: NonNullable<ModelRow["canonical"]>): string {
	const named = (rows: readonly ModelRow[]): string =>
		[...new Set(rows.map(({ model }) => plain(model.provider)))].join(", ");
	const ready = named(others.filter(({ missing }) => missing === undefined));
	const locked = named(others.filter(({ missing }) => missing !== undefined));
	return [ready === "" ? "" : ` · also ${ready}`, locked === "" ? "" : ` · no key: ${locked}`].join("");
}

function aboutModel({ model, missing, canonical }: ModelRow, _width: number, theme: Theme): string[] {
	const { contextWindow, maxTokens, input, cost } = model;
	const facts = [
		plain(model.name),
		contextWindow > 0 ? `${tokens(contextWindow)} context` : "",
		maxTokens > 0 ? `${tokens(maxTokens)} output` : "",
		input.includes("image") ? "vision" : "",
		cost.input + cost.output > 0 ? `$${cost.input} in, $${cost.output} out per million` : "free",
		...(cost.tiers ?? []).map(
			(tier) => `$${tier.input}/${tier.output} above ${tokens(tier.inputTokensAbove)}`,
		),
	];
	const can =
		missing === undefined
			? theme.fg("success", `${plain(model.provider)} is available`)
			: theme.fg("warning", `${plain(model.provider)} needs ${missing}`);
	const beside = canonical ? theme.fg("dim", sellers(canonical)) : "";
	return [can + beside, theme.fg("muted", facts.filter((fact) => fact !== "").join(" · "))];
}

/** The level itself, or the deepest that the model has below it. */
function shownLevel(model: Model, level: ThinkingLevel): ThinkingLevel {
	const levels = levelsOf(model);
	return levels.includes(level) ? level : (levels.at(-1) ?? "off");
}

/** All levels of the model in a row, so that it is seen what the key leads to. */
function thinkingLine(model: Model, level: ThinkingLevel, theme: Theme): string {
	const levels = levelsOf(model);
	if (levels.length < 2) return theme.fg("dim", "no thinking");
	const current = shownLevel(model, level);
	const shown = levels.map((each) =>
		each === current ? theme.fg("accent", `● ${each}`) : theme.fg("dim", each),
	);
	return theme.fg("muted", "thinking  ") + shown.join("  ");
}

function priceOf({ cost }: Model): string {
	return cost.input + cost.output > 0 ? `$${cost.input}/${cost.output}` : "free";
}
