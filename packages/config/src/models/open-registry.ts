/** Loads the user's configuration of models and creates the registry. */
import type { CredentialStore } from "@tau/ai";
import { dirs, type Env } from "@tau/utils";

import { describeProblem } from "../settings/config-problem.ts";
import { ModelRegistry, type RegistryOptions } from "./model-registry.ts";
import { modelSettings, withRoles, type ModelRole } from "./model-settings.ts";
import { addOtherPrograms, loadModelsFile, type ModelsFile } from "./models-file/index.ts";
import type { Settings } from "../settings/index.ts";

export interface RegistryParts extends Omit<RegistryOptions, "settings"> {
	env: Env;
	settings: Settings;
	/** The models of the roles in this run. */
	roles?: Readonly<Partial<Record<ModelRole, string>>>;
	onNotice(message: string): void;
}

/** The part of the stored credentials that the registry needs. */
export function storedLogins(
	store: Pick<CredentialStore, "has" | "list" | "offer">,
): Required<Omit<RegistryOptions, "settings" | "fallback">> {
	return {
		isStored: (provider) => store.has(provider),
		hasLogin: (pattern) =>
			store
				.list()
				.some(
					({ provider, kind, refused }) => provider === pattern && kind === "oauth" && refused === undefined,
				),
		offerLogin: (login) => store.offer(login),
	};
}

/** Mistakes in a file are reported, and disable only the part that they are in. */
export async function openRegistry(parts: RegistryParts): Promise<ModelRegistry> {
	const { env, settings, roles = {}, onNotice, ...options } = parts;
	const file = await loadUserModels(env, settings);
	for (const problem of file.problems) onNotice(describeProblem(problem));
	return new ModelRegistry(file, env, {
		...options,
		settings: withRoles(modelSettings(settings), roles, env),
	});
}

/** The user's `models.yml`, and what the user has set up for omp or pi and not for Tau. */
export async function loadUserModels(env: Env, settings: Settings): Promise<ModelsFile> {
	const file = await loadModelsFile(dirs(env).agent);
	await addOtherPrograms(file, dirs(env), settings.getWithoutProject("discovery.disabled"));
	return file;
}
