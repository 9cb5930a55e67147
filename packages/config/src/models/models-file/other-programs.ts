/** What the user has set up for omp or pi, and not for Tau: providers, their models, and keys. */
import { join } from "node:path";

import { providerOf } from "@tau/ai";
import { isRecord, log, registerSecret, type Dirs } from "@tau/utils";

import { describeProblem } from "../../settings/config-problem.ts";
import { isSwitchedOff, otherDirectories } from "../../settings/other-programs.ts";
import { readYamlFile } from "../../settings/yaml-file.ts";
import { isKeyCommand } from "../key-command.ts";
import { loadModelsFile, type ModelsFile } from "./load.ts";

/** Mistakes in their files are those programs' matter: they are logged. */
export async function addOtherPrograms(
	file: ModelsFile,
	{ home, agent }: Pick<Dirs, "home" | "agent">,
	disabled: readonly string[],
): Promise<void> {
	const keyFiles = (file.keyFiles ??= new Map());
	for (const { program, path } of otherDirectories(home)) {
		if (path === agent || isSwitchedOff(program, "models", disabled)) continue;
		const other = await loadModelsFile(path);
		for (const problem of other.problems)
			log.debug("a mistake in another program's models", { problem: describeProblem(problem) });
		for (const [id, provider] of other.providers) {
			if (file.providers.has(id)) continue;
			file.providers.set(id, provider);
			if (provider.apiKey !== undefined) keyFiles.set(id, other.path);
		}
		if (!file.equivalence && other.equivalence) file.equivalence = other.equivalence;
		if (program === "pi") await addKeys({ ...file, keyFiles }, path);
	}
}

/**
 * The keys of pi's `auth.json`, after those of the environment and of Tau's own files. Logins are not used: the
 * program that renews one ends it for the other.
 */
async function addKeys(
	{ providers, keyFiles }: Pick<Required<ModelsFile>, "providers" | "keyFiles">,
	directory: string,
): Promise<void> {
	const path = join(directory, "auth.json");
	const auth = await readYamlFile(path);
	if (!auth || !isRecord(auth.value)) return;
	for (const [id, entry] of Object.entries(auth.value)) {
		if (!isRecord(entry) || entry.type !== "api_key" || typeof entry.key !== "string" || entry.key === "")
			continue;
		const config = providers.get(id);
		// A provider without a row needs an address, which only a file of models has.
		if (config?.apiKey !== undefined || (!config && !providerOf(id))) continue;
		if (!isKeyCommand(entry.key)) registerSecret(entry.key);
		providers.set(id, { ...config, apiKey: entry.key });
		keyFiles.set(id, path);
	}
}
