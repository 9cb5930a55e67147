/** What sessions in one directory share, by pi's names: settings, models, keys and what was found there. */
import { resolve } from "node:path";

import { expandHome } from "@tau/utils";
import type { AuthAccess, ModelAccess } from "@tau/extensions/providers";

import { AuthStorage } from "./auth-storage.ts";
import { ModelRegistry } from "./model-registry.ts";
import type { ModelRuntime } from "./model-runtime.ts";
import { modelsFileIn } from "./models-file.ts";
import {
	DefaultResourceLoader,
	type DefaultResourceLoaderOptions,
	type ResourceLoader,
} from "./resource-loader.ts";
import { SettingsManager } from "./settings-manager.ts";
import { ownAgentDir } from "../support/directories.ts";

interface Diagnostic {
	type: "info" | "warning" | "error";
	message: string;
}

export interface AgentSessionServices {
	cwd: string;
	agentDir: string;
	authStorage: AuthStorage;
	settingsManager: SettingsManager;
	modelRegistry: ModelRegistry;
	resourceLoader: ResourceLoader;
	diagnostics: Diagnostic[];
}

export interface CreateAgentSessionServicesOptions {
	cwd?: string;
	agentDir?: string;
	/** One of the extension's own making, or `ctx.modelRegistry.authStorage`. */
	authStorage?: AuthStorage | AuthAccess;
	settingsManager?: SettingsManager;
	/** One of the extension's own making, or `ctx.modelRegistry`. */
	modelRegistry?: ModelRegistry | ModelAccess;
	/** What newer programs give instead of a registry. */
	modelRuntime?: ModelRuntime;
	resourceLoader?: ResourceLoader;
	/** Where no loader is given. */
	resourceLoaderOptions?: Omit<DefaultResourceLoaderOptions, "cwd" | "agentDir" | "settingsManager">;
	/** omp's: no extensions but those of `additionalExtensionPaths`. */
	disableExtensionDiscovery?: boolean;
	additionalExtensionPaths?: string[];
}

/** omp's options beside pi's. Throws if a loader was given, which has decided about its extensions already. */
function loaderOptions({
	resourceLoader,
	resourceLoaderOptions,
	disableExtensionDiscovery,
	additionalExtensionPaths,
}: CreateAgentSessionServicesOptions): CreateAgentSessionServicesOptions["resourceLoaderOptions"] {
	if (resourceLoader && (disableExtensionDiscovery || additionalExtensionPaths))
		throw new TypeError(
			"disableExtensionDiscovery and additionalExtensionPaths have no effect beside a resourceLoader: set noExtensions and additionalExtensionPaths there.",
		);
	return {
		...resourceLoaderOptions,
		...(disableExtensionDiscovery ? { noExtensions: true } : {}),
		...(additionalExtensionPaths ? { additionalExtensionPaths } : {}),
	};
}

export async function createAgentSessionServices(
	options: CreateAgentSessionServicesOptions = {},
): Promise<AgentSessionServices> {
	const ownLoaderOptions = loaderOptions(options);
	const cwd = resolve(options.cwd ?? process.cwd());
	const agentDir = ownAgentDir(options.agentDir && expandHome(options.agentDir));
	const settingsManager = options.settingsManager ?? SettingsManager.create(cwd, agentDir);
	const given = options.modelRegistry ?? options.modelRuntime?.registry;
	const authStorage =
		ownStorage(options.authStorage) ?? ownStorage(given?.authStorage) ?? AuthStorage.in(agentDir);
	await authStorage.ready();
	const modelRegistry =
		ownRegistry(given, authStorage) ?? ModelRegistry.create(authStorage, modelsFileIn(agentDir));
	const resourceLoader =
		options.resourceLoader ?? (await loaded(cwd, agentDir, settingsManager, ownLoaderOptions));
	const diagnostics: Diagnostic[] = [
		...authStorage.drainErrors().map(({ message }) => ({ type: "warning" as const, message })),
		...settingsManager
			.drainErrors()
			.map(({ error }) => ({ type: "warning" as const, message: error.message })),
		...[modelRegistry.getError()].flatMap((message) =>
			message ? [{ type: "warning" as const, message }] : [],
		),
		...resourceLoader
			.getExtensions()
			.errors.map(({ path, error }) => ({ type: "error" as const, message: `${path}: ${error}` })),
	];
	return { cwd, agentDir, authStorage, settingsManager, modelRegistry, resourceLoader, diagnostics };
}

function ownStorage(given: AuthStorage | AuthAccess | undefined): AuthStorage | undefined {
	// `ctx` only has the keys of its session, which are in Tau's store.
	return given instanceof AuthStorage ? given : undefined;
}

function ownRegistry(
	given: ModelRegistry | ModelAccess | undefined,
	authStorage: AuthStorage,
): ModelRegistry | undefined {
	if (given === undefined || given instanceof ModelRegistry) return given;
	return ModelRegistry.over(given.registry, authStorage);
}

async function loaded(
	cwd: string,
	agentDir: string,
	settingsManager: SettingsManager,
	options: DefaultResourceLoaderOptions = {},
): Promise<ResourceLoader> {
	const loader = new DefaultResourceLoader({ ...options, cwd, agentDir, settingsManager });
	await loader.reload();
	return loader;
}
