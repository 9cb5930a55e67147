/** Turns the published model data of pi into lines of our catalogue: what our code does not know is left out. */
import { compatFlags, wireApis, type CatalogueEntry, type Provider, type ThinkingLevelMap } from "@tau/ai";

import corrections from "./catalogue-corrections.json" with { type: "json" };

/** A file of theirs: models by protocol and by `kind:id`. */
export type SourceFile = Record<string, Record<string, unknown>>;

/** Providers that have another name there, or that sell the same models under another plan. */
const sources: Readonly<Record<string, string>> = {
	moonshot: "moonshotai",
	"moonshot-cn": "moonshotai-cn",
	"xai-oauth": "xai",
	"kimi-code": "kimi-coding",
	"zhipu-coding-plan": "zai-coding-cn",
	"minimax-code": "minimax",
	"minimax-code-cn": "minimax-cn",
	"azure-openai": "azure",
	"opencode-zen": "opencode",
	firepass: "fireworks",
	"google-gemini-cli": "google",
	"gitlab-duo": "anthropic",
};

/** The same models at another place and in this protocol, and paid by the account's plan instead of by the token. */
const plans: Readonly<Record<string, string>> = {
	"google-gemini-cli": "google-gemini-cli",
	"gitlab-duo": "anthropic-messages",
};

/** Mistral's own protocol has a twin of OpenAI's at the same host. */
const twins: Readonly<Record<string, string>> = { "mistral-conversations": "openai-completions" };

const only: Readonly<Record<string, RegExp>> = {
	// A pass is for routers, which choose among the models that it pays for; the others are billed by token.
	firepass: /\/routers\//,
	// Code Assist has the models for text by their own names: no aliases, no variants for special uses.
	"google-gemini-cli": /^gemini-[\d.]+(?!.*(?:computer-use|customtools))/,
	// Those that GitLab's own client (@gitlab/gitlab-ai-provider 3.6.1) asks for.
	"gitlab-duo": /^claude-(?:(?:opus|sonnet)-4-6|(?:opus|sonnet|haiku)-4-5-\d+)$/,
};

const levels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

export function sourceOf(provider: Provider): string {
	return sources[provider.id] ?? provider.id;
}

/** The models of a provider, its default first, the rest by id. */
export function convert(provider: Provider, file: SourceFile, first: string | undefined): CatalogueEntry[] {
	const entries = Object.values(file)
		.flatMap((models) => Object.entries(models))
		.filter(([key]) => key.startsWith("chat:"))
		.flatMap(([, model]) => entryOf(provider, model) ?? [])
		.filter(({ id }) => only[provider.id]?.test(id) ?? true)
		.toSorted((a, b) => Number(b.id === first) - Number(a.id === first) || compare(a.id, b.id));
	return entries.map((entry) => promoted(corrected(entry), entries));
}

/** What the source leaves out and a request would be refused or misread without. */
function corrected(entry: CatalogueEntry): CatalogueEntry {
	const sellers = new Set([entry.provider, sources[entry.provider]]);
	const fitting = corrections.filter(
		({ provider, id }) => sellers.has(provider) && new RegExp(id).test(entry.id),
	);
	const compat = Object.assign({}, entry.compat, ...fitting.map((right) => compatOf(right.compat)));
	const map = Object.assign({}, entry.levels, ...fitting.map((right) => levelsOf(right.levels)));
	const hears = fitting.some((right) => right.hears);
	return {
		...entry,
		...(hears ? { hears: true as const } : {}),
		...(Object.keys(map).length > 0 ? { levels: map } : {}),
		...(Object.keys(compat).length > 0 ? { compat } : {}),
	};
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

function entryOf(provider: Provider, model: unknown): CatalogueEntry | undefined {
	if (!isRecord(model)) return undefined;
	const { id, name, api: theirs, baseUrl, reasoning, input, contextWindow, maxTokens } = model;
	const plan = plans[provider.id];
	const api = plan ?? twins[String(theirs)] ?? theirs;
	if (typeof id !== "string" || typeof name !== "string" || !isWireApi(api)) return undefined;
	if (!isSize(contextWindow) || !isSize(maxTokens)) return undefined;
	const cost = plan === undefined ? costOf(model.cost) : free;
	const tiers = plan === undefined ? tiersOf(model.cost, contextWindow) : [];
	const place = plan === undefined && api === theirs ? placeOf(provider, String(baseUrl)) : undefined;
	const map = levelsOf(model.thinkingLevelMap);
	const compat = compatOf(model.compat);
	return {
		provider: provider.id,
		id,
		name: name.trim(),
		...(api === provider.api ? {} : { api }),
		...(place === undefined ? {} : { baseUrl: place }),
		...(reasoning === true ? {} : { plain: true as const }),
		...(Array.isArray(input) && input.includes("image") ? {} : { blind: true as const }),
		cost,
		...(tiers.length > 0 ? { tiers } : {}),
		contextWindow,
		// No model gives more than it can hold.
		maxTokens: Math.min(maxTokens, contextWindow),
		...(map ? { levels: map } : {}),
		...(compat ? { compat } : {}),
	};
}

/** Their address, where it is another place than the provider's row says; a version at the end makes no other place. */
function placeOf(provider: Provider, baseUrl: string): string | undefined {
	const root = (url: string): string => url.replace(/\/v1$/, "");
	// Vertex and Azure addresses are made when the request is: from the project, the location and the resource.
	if (baseUrl === "" || /\{[a-z]+\}/.test(baseUrl) || root(baseUrl) === root(provider.baseUrl))
		return undefined;
	return baseUrl;
}

const free: CatalogueEntry["cost"] = [0, 0, 0, 0];

function costOf(cost: unknown): CatalogueEntry["cost"] {
	const price = (field: string): number => {
		const value = isRecord(cost) ? cost[field] : undefined;
		// Prices such as 0.09999999999999999 come from arithmetic, not from a price list.
		return typeof value === "number" && value > 0 ? Number(value.toFixed(6)) : 0;
	};
	return [price("input"), price("output"), price("cacheRead"), price("cacheWrite")];
}

/** Limits that the window never reaches are left out. */
function tiersOf(cost: unknown, contextWindow: number): NonNullable<CatalogueEntry["tiers"]> {
	const tiers = isRecord(cost) && Array.isArray(cost.tiers) ? cost.tiers : [];
	return tiers.flatMap((tier: unknown) => {
		const above = isRecord(tier) ? tier.inputTokensAbove : undefined;
		return isSize(above) && above < contextWindow ? [[above, ...costOf(tier)] as const] : [];
	});
}

function levelsOf(map: unknown): ThinkingLevelMap | undefined {
	if (!isRecord(map)) return undefined;
	const known = levels.flatMap((level) => {
		const word = map[level];
		return typeof word === "string" || word === null ? [[level, word] as const] : [];
	});
	return known.length > 0 ? Object.fromEntries(known) : undefined;
}

function compatOf(compat: unknown): CatalogueEntry["compat"] {
	if (!isRecord(compat)) return undefined;
	const known = Object.entries(compatFlags).flatMap(([flag, kind]) => {
		const value = compat[flag];
		const fits = kind === "switch" ? typeof value === "boolean" : Array.isArray(kind) && kind.includes(value);
		return fits ? [[flag, value] as const] : [];
	});
	return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** A fast variant with a small window continues with its base when the window is full. */
function promoted(entry: CatalogueEntry, all: readonly CatalogueEntry[]): CatalogueEntry {
	const base = all.find(({ id }) => `${id}-spark` === entry.id);
	return base ? { ...entry, promotion: `${entry.provider}/${base.id}` } : entry;
}

function isWireApi(api: unknown): api is string {
	return wireApis.some((known) => known === api);
}

function isSize(value: unknown): value is number {
	return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
