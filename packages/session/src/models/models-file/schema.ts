/** The schema of `models.yml`. */
import { z } from "zod";

import { compatFlags, discoveryTypes, providerOf, wireApis, type Compat } from "@tau/ai";
import { isRecord, nearest, once } from "@tau/utils";

import type { Finding } from "../../settings/yaml-file.ts";

/** A protocol that Tau implements, or one of an extension, which is not loaded yet; not a misspelled one. */
const api = once(() =>
	z.string().superRefine((name, check) => {
		if (wireApis.some((known) => known === name) || (name !== "" && nearest(name, wireApis).length === 0))
			return;
		const list = wireApis.map((each) => JSON.stringify(each)).join("|");
		check.addIssue({ code: "custom", message: `Invalid option: expected one of ${list}` });
	}),
);

const headers = once(() => z.record(z.string(), z.string()));

/** Flags are checked by their table, not by a schema for each: building those would cost every start a millisecond. */
const compat = once(() =>
	z
		.record(z.string(), z.unknown())
		.superRefine((flags, check) => {
			for (const [name, kind] of Object.entries(compatFlags)) {
				const value = flags[name];
				const message = value === undefined ? undefined : complaint(kind, value);
				if (message !== undefined) check.addIssue({ code: "custom", path: [name], message });
			}
		})
		// Files of other programs have flags that Tau does not read.
		.transform((flags): Compat =>
			Object.fromEntries(Object.entries(flags).filter(([name]) => Object.hasOwn(compatFlags, name))),
		),
);

const level = once(() => z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"]));

const prices = once(() =>
	z.object({
		input: z.number(),
		output: z.number(),
		cacheRead: z.number().default(0),
		cacheWrite: z.number().default(0),
	}),
);

const facts = once(() =>
	z.object({
		name: z.string().optional(),
		reasoning: z.boolean().optional(),
		thinkingLevelMap: z.partialRecord(level(), z.string().nullable()).optional(),
		input: z.array(z.enum(["text", "image"])).optional(),
		cost: prices()
			.extend({ tiers: z.array(prices().extend({ inputTokensAbove: z.number().positive() })).optional() })
			.optional(),
		contextWindow: z.number().positive().optional(),
		maxTokens: z.number().positive().optional(),
		headers: headers().optional(),
		compat: compat().optional(),
		contextPromotionTarget: z.string().optional(),
	}),
);

const model = once(() => facts().extend({ id: z.string().min(1), api: api().optional() }));

export const providerSchema = once(() =>
	z.object({
		baseUrl: z.url({ protocol: /^https?$/ }).optional(),
		apiKey: z.string().min(1).optional(),
		api: api().optional(),
		headers: headers().optional(),
		compat: compat().optional(),
		authHeader: z.boolean().optional(),
		auth: z.enum(["apiKey", "none"]).optional(),
		discovery: z.object({ type: z.enum(discoveryTypes) }).optional(),
		modelOverrides: z.record(z.string(), facts()).optional(),
		models: z.array(model()).optional(),
	}),
);

/** A concrete model, as `provider/id`. */
const selector = once(() => z.string().regex(/^[^/]+\/.+$/, "expected provider/id"));

export const equivalenceSchema = once(() =>
	z.object({
		overrides: z.record(selector(), z.string().min(1)).optional(),
		exclude: z.array(selector()).optional(),
	}),
);

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
	if (kind.some((word) => word === value)) return undefined;
	return `Invalid option: expected one of ${kind.map((word) => JSON.stringify(word)).join("|")}`;
}

function isRouting(value: unknown): boolean {
	if (!isRecord(value)) return false;
	return [value.only, value.order].every(
		(names) =>
			names === undefined || (Array.isArray(names) && names.every((name) => typeof name === "string")),
	);
}

function kindOf(value: unknown): string {
	return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}

/** The field names that each level of a provider may use, to distinguish a typo from a field. */
export const fieldNames = once(() => ({
	provider: Object.keys(providerSchema().shape),
	model: Object.keys(model().shape),
	override: Object.keys(facts().shape),
	compat: Object.keys(compatFlags),
}));

export type ProviderConfig = z.infer<ReturnType<typeof providerSchema>>;
export type ModelFacts = z.infer<ReturnType<typeof facts>>;
export type EquivalenceConfig = z.infer<ReturnType<typeof equivalenceSchema>>;
