/** Reads `models.yml`, and loads every valid provider even if another one is invalid. */
import { join } from "node:path";

import { parseShape, nearest, isRecord } from "@tau/utils";

import type { ConfigProblem } from "../../settings/config-problem.ts";
import { findingsOf, readYamlFile, type Finding, type Path } from "../../settings/yaml-file.ts";
import {
	equivalenceSchema,
	fieldNames,
	missingFields,
	providerSchema,
	type EquivalenceConfig,
	type ProviderConfig,
} from "./schema.ts";

export interface ModelsFile {
	path: string;
	providers: Map<string, ProviderConfig>;
	/** The files in which the keys of providers are configured. */
	keyFiles?: Map<string, string>;
	/** The models that are the same one under another name. */
	equivalence?: EquivalenceConfig;
	problems: ConfigProblem[];
}

const fileNames = ["models.yml", "models.yaml", "models.json"] as const;
const topLevel = ["providers", "equivalence"];

export async function loadModelsFile(directory: string): Promise<ModelsFile> {
	for (const name of fileNames) {
		const read = await readYamlFile(join(directory, name));
		if (!read) continue;
		const { path, value, problems } = read;
		const keyFiles = new Map<string, string>();
		const file: ModelsFile = { path, providers: new Map(), keyFiles, problems };
		await read.report(check(value, file));
		for (const [id, { apiKey }] of file.providers) if (apiKey !== undefined) keyFiles.set(id, path);
		return file;
	}
	return { path: join(directory, fileNames[0]), providers: new Map(), problems: [] };
}

interface Unknown extends Finding {
	/** True if the name looks like a typo of another field. */
	slip?: boolean;
}

/** Fills the file with the valid parts and returns the problems. */
function check(whole: unknown, file: ModelsFile): Finding[] {
	if (whole === null || whole === undefined) return [];
	if (!isRecord(whole)) return [{ path: [], message: "expected a map with the key providers" }];
	return [
		...unknownKeys(whole, topLevel, []),
		...checkProviders(whole.providers, file.providers),
		...checkEquivalence(whole.equivalence, file),
	];
}

function checkProviders(all: unknown, providers: Map<string, ProviderConfig>): Finding[] {
	if (all === undefined || all === null) return [];
	if (!isRecord(all)) return [{ path: ["providers"], message: "expected a map of providers" }];
	return Object.entries(all).flatMap(([id, config]) => {
		const path = ["providers", id];
		const parsed = parseShape(providerSchema, config);
		const missing = parsed.ok ? missingFields(id, parsed.value) : [];
		if (parsed.ok && missing.length === 0) providers.set(id, parsed.value);
		return [
			// Unknown fields come first: a missing field may be there under a wrong name.
			...unknownFields(config, path),
			...findingsOf(parsed, path),
			...missing.map((each) => ({ ...each, path: [...path, ...each.path] })),
		];
	});
}

function checkEquivalence(config: unknown, file: ModelsFile): Finding[] {
	if (config === undefined || config === null) return [];
	const parsed = parseShape(equivalenceSchema, config);
	if (parsed.ok) file.equivalence = parsed.value;
	return [
		...unknownKeys(config, Object.keys(equivalenceSchema.fields), ["equivalence"]),
		...findingsOf(parsed, ["equivalence"]),
	];
}

function unknownFields(config: unknown, path: Path): Finding[] {
	if (!isRecord(config)) return [];
	const models = Array.isArray(config.models) ? config.models : [];
	const overrides = isRecord(config.modelOverrides) ? config.modelOverrides : {};
	return [
		...unknownKeys(config, fieldNames.provider, path),
		...models.flatMap((model, index) => unknownFacts(model, fieldNames.model, [...path, "models", index])),
		...Object.entries(overrides).flatMap(([id, facts]) =>
			unknownFacts(facts, fieldNames.override, [...path, "modelOverrides", id]),
		),
	];
}

/** Files of pi and omp have more fields per model than Tau uses: only a likely typo is reported. */
function unknownFacts(facts: unknown, known: readonly string[], path: Path): Finding[] {
	if (!isRecord(facts)) return [];
	return [
		...unknownKeys(facts, known, path),
		...unknownKeys(facts.compat, fieldNames.compat, [...path, "compat"]),
	].filter(({ slip }) => slip);
}

function unknownKeys(value: unknown, known: readonly string[], path: Path): Unknown[] {
	if (!isRecord(value)) return [];
	return Object.keys(value)
		.filter((key) => !known.includes(key))
		.map((key) => {
			const [near] = nearest(key, known);
			const hint = near === undefined ? "" : `, did you mean ${near}?`;
			return { path: [...path, key], message: `unknown field${hint}`, slip: near !== undefined };
		});
}
