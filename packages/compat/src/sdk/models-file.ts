/** Reads a file of models at once, for registries that are made without waiting. */
import { join } from "node:path";
import { type ModelsFile, type ProviderConfig, missingFields, providerSchema } from "@tau/config/models";
import { readText } from "@tau/config/settings";
import { parseShape, isRecord, parseFailure } from "@tau/utils";

/** Tau's own come first; `models.json` is pi's. */
const names = ["models.yml", "models.yaml", "models.json"];

export function modelsFileIn(agentDir: string): string {
	const paths = names.map((name) => join(agentDir, name));
	return paths.find((path) => readText(path) !== undefined) ?? join(agentDir, "models.yml");
}

export interface ReadModels {
	file: ModelsFile;
	/** What is wrong with it, for a user; the valid part is used all the same. */
	error?: string;
}

export function readModelsFile(path: string): ReadModels {
	const file: ModelsFile = { path, providers: new Map(), problems: [] };
	const read = readText(path);
	if (!read) return { file };
	if (!read.ok) return { file, error: `${path} ${read.reason}` };
	try {
		const value: unknown = /\.jsonc?$/.test(path) ? Bun.JSONC.parse(read.text) : Bun.YAML.parse(read.text);
		const { providers } = isRecord(value) ? value : {};
		const wrong = Object.entries(isRecord(providers) ? providers : {}).flatMap(([id, config]) =>
			take(file.providers, id, config),
		);
		return wrong.length === 0 ? { file } : { file, error: `${path}: ${wrong.join("; ")}` };
	} catch (error) {
		return { file, error: `${path}: ${parseFailure(error, read.text)}` };
	}
}

function take(providers: Map<string, ProviderConfig>, id: string, config: unknown): string[] {
	const parsed = parseShape(providerSchema, config);
	if (!parsed.ok) return parsed.issues.map(({ path, message }) => `${id}.${path.join(".")} ${message}`);
	const missing = missingFields(id, parsed.value);
	if (missing.length > 0) return missing.map(({ message }) => `${id}: ${message}`);
	providers.set(id, parsed.value);
	return [];
}
