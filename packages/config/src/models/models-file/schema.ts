/** The schema of `models.yml`. */
import { compatFlags, discoveryTypes, providerOf, wireApis, type Compat } from "@tau/ai";
import { isRecord, kindOf, nearest, refined, shapes, type Shape, type ShapeValue } from "@tau/utils";

import type { Finding } from "../../settings/yaml-file.ts";

const {
	array,
	boolean,
	fallback,
	nullable,
	number,
	object,
	oneOf,
	optional,
	positive,
	record,
	string,
	word,
} = shapes;

/** A protocol that Tau implements, or one of an extension, which is not loaded yet; not a misspelled one. */
const api = refined(
	string,
	(name) => wireApis.some((known) => known === name) || (name !== "" && nearest(name, wireApis).length === 0),
	() => `Invalid option: expected one of ${wireApis.map((each) => JSON.stringify(each)).join("|")}`,
);

const url = refined(
	string,
	(text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
	() => "Invalid URL",
);

const headers = record(string);

/** Files of other programs have flags that Tau does not read: they are left out. */
const compat: Shape<Compat> = (value, report) => {
	const flags = Object.entries(record(shapes.unknown)(value, report)).flatMap(([name, flag]) => {
		const kind = Object.hasOwn(compatFlags, name) ? compatFlags[name as keyof typeof compatFlags] : undefined;
		if (kind === undefined || flag === undefined) return [];
		const message = complaint(kind, flag);
		if (message !== undefined) report({ path: [name], message });
		return [[name, flag]];
	});
	return Object.fromEntries(flags);
};

const level = oneOf(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);

const prices = {
	input: number,
	output: number,
	cacheRead: fallback(number, 0),
	cacheWrite: fallback(number, 0),
};

const facts = object({
	name: optional(string),
	reasoning: optional(boolean),
	thinkingLevelMap: optional(levelMap),
	input: optional(array(oneOf(["text", "image", "audio"]))),
	cost: optional(
		object({ ...prices, tiers: optional(array(object({ ...prices, inputTokensAbove: positive }))) }),
	),
	contextWindow: optional(positive),
	maxTokens: optional(positive),
	headers: optional(headers),
	compat: optional(compat),
	contextPromotionTarget: optional(string),
});

function levelMap(...read: Parameters<Shape>): Partial<Record<ShapeValue<typeof level>, string | null>> {
	return record(nullable(string), level)(...read);
}

const model = object({ ...facts.fields, id: word, api: optional(api) });

export const providerSchema = object({
	baseUrl: optional(url),
	apiKey: optional(word),
	api: optional(api),
	headers: optional(headers),
	compat: optional(compat),
	authHeader: optional(boolean),
	auth: optional(oneOf(["apiKey", "none"])),
	discovery: optional(object({ type: oneOf(discoveryTypes) })),
	modelOverrides: optional(record(facts)),
	models: optional(array(model)),
});

/** A concrete model, as `provider/id`. */
const selector = refined(
	string,
	(text) => /^[^/]+\/.+$/.test(text),
	() => "expected provider/id",
);

export const equivalenceSchema = object({
	overrides: optional(record(word, selector)),
	exclude: optional(array(selector)),
});

/** The fields a provider needs for requests. A built-in one has its address, its key and its protocol. */
export function missingFields(id: string, provider: ProviderConfig): Finding[] {
	const findings: Finding[] = [];
	const missing = (field: string, message: string): void => void findings.push({ path: [field], message });
	const builtin = providerOf(id) !== undefined;
	if (provider.models && provider.models.length > 0) {
		if (!provider.baseUrl && !builtin) missing("baseUrl", "required for a provider with models");
		if (!provider.apiKey && provider.auth !== "none" && !builtin) {
			// After the field's name, a value would be masked like a key.
			findings.push({ path: [], message: "no apiKey. Set one, or auth: none for a server without keys" });
		}
		if (!provider.api && !builtin && provider.models.some((each) => !each.api)) {
			missing("api", "required for the provider or for each of its models");
		}
	} else if (!saysSomething(provider)) {
		missing("models", "give models, or one of baseUrl, modelOverrides, discovery");
	}
	if (provider.discovery && !provider.api && !builtin) missing("api", "required with discovery");
	if (provider.discovery && !provider.baseUrl && !builtin) missing("baseUrl", "required with discovery");
	return findings;
}

function saysSomething({
	baseUrl,
	modelOverrides,
	discovery,
	headers: own,
	apiKey,
	compat: flags_,
}: ProviderConfig): boolean {
	return [baseUrl, modelOverrides, discovery, own, apiKey, flags_].some((field) => field !== undefined);
}

function complaint(kind: (typeof compatFlags)[keyof typeof compatFlags], value: unknown): string | undefined {
	const expected = (what: string): string => `Invalid input: expected ${what}, received ${kindOf(value)}`;
	if (kind === "switch") return typeof value === "boolean" ? undefined : expected("boolean");
	if (kind === "object") return isRecord(value) ? undefined : expected("a map");
	if (kind === "routing") return isRouting(value) ? undefined : expected("the lists only and order");
	if (kind.some((each) => each === value)) return undefined;
	return `Invalid option: expected one of ${kind.map((each) => JSON.stringify(each)).join("|")}`;
}

function isRouting(value: unknown): boolean {
	if (!isRecord(value)) return false;
	return [value.only, value.order].every(
		(names) =>
			names === undefined || (Array.isArray(names) && names.every((name) => typeof name === "string")),
	);
}

/** The field names that each level of a provider may use, to distinguish a typo from a field. */
export const fieldNames = {
	provider: Object.keys(providerSchema.fields),
	model: Object.keys(model.fields),
	override: Object.keys(facts.fields),
	compat: Object.keys(compatFlags),
};

export type ProviderConfig = ShapeValue<typeof providerSchema>;
export type ModelFacts = ShapeValue<typeof facts>;
export type EquivalenceConfig = ShapeValue<typeof equivalenceSchema>;
