/** Reads `models.yml`, keeping every provider that is right when another one is wrong. */
import { join } from "node:path";

import { nearest } from "@tau/utils";

import { limits } from "../limits.ts";
import { fieldNames, providerSchema, type ProviderConfig } from "./schema.ts";

export interface ConfigProblem {
	file: string;
	line?: number;
	/** Where in the file, as `providers.mine.models.0.id`. */
	field?: string;
	message: string;
}

export interface ModelsFile {
	path: string;
	providers: Map<string, ProviderConfig>;
	problems: ConfigProblem[];
}

type Path = (string | number)[];

const fileNames = ["models.yml", "models.yaml", "models.json"] as const;
const topLevel = ["providers", "equivalence"];

export async function loadModelsFile(directory: string): Promise<ModelsFile> {
	for (const name of fileNames) {
		const path = join(directory, name);
		const text = await readText(path);
		if (text !== undefined) return readModels(path, text);
	}
	return { path: join(directory, fileNames[0]), providers: new Map(), problems: [] };
}

/** One line for a person: `models.yml:3 providers.mine.api: …`. */
export function describeProblem({ file, line, field, message }: ConfigProblem): string {
	return `${file}${line === undefined ? "" : `:${line}`}${field ? ` ${field}` : ""}: ${message}`;
}

async function readText(path: string): Promise<string | Error | undefined> {
	const file = Bun.file(path);
	try {
		if (file.size > limits.modelsFileBytes) return new Error(`larger than ${limits.modelsFileBytes} bytes`);
		return await file.text();
	} catch (error) {
		if (!(error instanceof Error)) return new Error(String(error));
		return "code" in error && error.code === "ENOENT" ? undefined : error;
	}
}

async function readModels(path: string, text: string | Error): Promise<ModelsFile> {
	const file: ModelsFile = { path, providers: new Map(), problems: [] };
	if (text instanceof Error) {
		file.problems.push({ file: path, message: `cannot be read: ${text.message}` });
		return file;
	}
	let whole: unknown;
	try {
		whole = Bun.YAML.parse(text);
	} catch (error) {
		const { syntaxProblem } = await import("./positions.ts");
		file.problems.push(syntaxProblem(path, text, error));
		return file;
	}
	const found = check(whole, file.providers);
	if (found.length > 0) {
		const { linesOf } = await import("./positions.ts");
		const lineOf = linesOf(text);
		for (const { path: at, message } of found) {
			const line = lineOf(at);
			file.problems.push({
				file: path,
				field: at.join("."),
				message,
				...(line === undefined ? {} : { line }),
			});
		}
	}
	return file;
}

interface Found {
	path: Path;
	message: string;
	/** It looks like another field with a slip in it. */
	slip?: boolean;
}

/** Fills `providers` with what is right and returns what is wrong. */
function check(whole: unknown, providers: Map<string, ProviderConfig>): Found[] {
	if (whole === null || whole === undefined) return [];
	if (!isRecord(whole)) return [{ path: [], message: "expected a map with the key providers" }];
	const found: Found[] = unknownKeys(whole, topLevel, []);
	const all = whole.providers;
	if (all === undefined || all === null) return found;
	if (!isRecord(all)) return [...found, { path: ["providers"], message: "expected a map of providers" }];
	for (const [id, config] of Object.entries(all)) {
		const path = ["providers", id];
		// First what is unknown: a field that is missing may be there under a wrong name.
		found.push(...unknownFields(config, path));
		const parsed = providerSchema.safeParse(config);
		if (parsed.success) providers.set(id, parsed.data);
		for (const issue of parsed.error?.issues ?? []) {
			const inside = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
			found.push({ path: [...path, ...inside], message: issue.message });
		}
	}
	return found;
}

function unknownFields(config: unknown, path: Path): Found[] {
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

/** Files of pi and omp say more about a model than Tau uses: here only what looks like a slip is worth a line. */
function unknownFacts(facts: unknown, known: readonly string[], path: Path): Found[] {
	if (!isRecord(facts)) return [];
	return [
		...unknownKeys(facts, known, path),
		...unknownKeys(facts.compat, fieldNames.compat, [...path, "compat"]),
	].filter(({ slip }) => slip);
}

function unknownKeys(value: unknown, known: readonly string[], path: Path): Found[] {
	if (!isRecord(value)) return [];
	return Object.keys(value)
		.filter((key) => !known.includes(key))
		.map((key) => {
			const [near] = nearest(key, known);
			const hint = near === undefined ? "" : `, did you mean ${near}?`;
			return { path: [...path, key], message: `unknown field${hint}`, slip: near !== undefined };
		});
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
