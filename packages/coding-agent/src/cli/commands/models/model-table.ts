/** Formats models as a table for a user, or as JSON lines for a program. */
import { catalogueOrigin, levelsOf, type Model } from "@tau/ai";
import { type ModelRegistry, preferred } from "@tau/config/models";
import { columns, cut } from "@tau/utils/text-table";

export interface ModelRow {
	model: Model;
	/** The maker's own id. */
	canonical: string;
	/** The reason why the model cannot be used yet. */
	missing?: string;
}

/** Usable models come first; the name must contain each search word, in either spelling of a version. */
export function rowsOf(registry: ModelRegistry, search: string): ModelRow[] {
	const words = plain(search).split(/\s+/).filter(Boolean);
	const index = registry.canonical();
	const missing = new Map<string, string | undefined>();
	const rows = registry.all().flatMap((model): ModelRow[] => {
		const { provider, id, name } = model;
		const canonical = index.idOf(model);
		const text = plain(`${provider}/${id} ${name} ${canonical}`);
		if (!words.every((word) => text.includes(word))) return [];
		if (!missing.has(provider)) missing.set(provider, registry.whyNot(provider));
		const why = missing.get(provider);
		return [{ model, canonical, ...(why === undefined ? {} : { missing: why }) }];
	});
	return rows.toSorted((a, b) => Number(a.missing !== undefined) - Number(b.missing !== undefined));
}

/** Formats each model as one complete JSON object per line. */
export function jsonLines(rows: readonly ModelRow[]): string {
	return rows
		.map(({ model, canonical, missing }) => {
			const { provider, id, name, api, reasoning, input, cost, contextWindow, maxTokens } = model;
			const facts = { provider, id, name, canonical, api, reasoning, input, cost, contextWindow, maxTokens };
			const access = { available: missing === undefined, ...(missing === undefined ? {} : { missing }) };
			return `${JSON.stringify({ ...facts, ...access })}\n`;
		})
		.join("");
}

/** `width` is that of the terminal; what does not fit is cut there, and stays complete in a pipe. */
export function modelTable(rows: readonly ModelRow[], registry: ModelRegistry, width: number): string {
	if (rows.length === 0) return `No models match. ${summary(rows, registry)}\n`;
	const head = ["provider", "model", "context", "max out", "thinking", "images", "$ in/out", "usable"];
	const lines = columns([head, ...rows.map(cells)]);
	const groups = canonicalCells(rows, registry);
	const sections =
		groups.length > 0 ? ["", ...columns([["canonical id", "chosen", "also at"], ...groups])] : [];
	return [...lines, ...sections, "", summary(rows, registry)].map((line) => `${cut(line, width)}\n`).join("");
}

function cells({ model, missing }: ModelRow): string[] {
	const { provider, id, contextWindow, maxTokens, input, cost } = model;
	return [
		provider,
		id,
		tokens(contextWindow),
		tokens(maxTokens),
		levels(model),
		input.includes("image") ? "yes" : "–",
		`${cost.input}/${cost.output}`,
		missing === undefined ? "yes" : `needs ${missing}`,
	];
}

/** Ids of several providers: which one would be used, and the alternatives. */
function canonicalCells(rows: readonly ModelRow[], registry: ModelRegistry): string[][] {
	const shown = new Set(rows.map(({ canonical }) => canonical));
	return registry
		.canonical()
		.groups()
		.filter(({ id, models }) => models.length > 1 && shown.has(id))
		.map(({ id, models }) => {
			const chosen = preferred(models, registry);
			const others = models.filter((model) => model !== chosen).map(({ provider }) => provider);
			return [id, chosen?.provider ?? "", [...new Set(others)].join(" ")];
		});
}

function summary(rows: readonly ModelRow[], registry: ModelRegistry): string {
	const usable = rows.filter(({ missing }) => missing === undefined).length;
	const sellers = new Set(rows.map(({ model }) => model.provider)).size;
	const all = registry.all().length;
	const counted = rows.length === all ? `${all} models` : `${rows.length} of ${all} models`;
	return `${counted}, ${sellers} providers, ${usable} usable; catalog of ${catalogueOrigin().date}.`;
}

/** Returns the lowest and the highest level that a request may have. */
function levels(model: Model): string {
	if (!model.reasoning) return "–";
	const known = levelsOf(model).filter((level) => level !== "off");
	const [lowest = "yes"] = known;
	const highest = known.at(-1) ?? lowest;
	return lowest === highest ? lowest : `${lowest}-${highest}`;
}

function tokens(count: number): string {
	if (count < 1000) return String(count);
	const [value, unit] = count < 999_500 ? [count / 1000, "K"] : [count / 1_000_000, "M"];
	return `${Number(value.toFixed(value < 10 ? 1 : 0))}${unit}`;
}

/** Versions are written with dots and with dashes. */
function plain(text: string): string {
	return text.toLowerCase().replaceAll(".", "-");
}
