/** Loads the extensions of a program's session: files by their paths, and its own functions. */
import { dirs, type Env } from "@tau/utils";
import { virtualModules } from "@tau/compat";
import type { ExtensionMode, ExtensionFactory } from "@tau/extensions/api";
import type { Extensions } from "@tau/extensions/host";
import { discoverExtensions, type DiscoveredExtension } from "@tau/extensions/load";
import type { SessionManager } from "@tau/log";
import type { Settings, SettingPath } from "@tau/config/settings";

import { shippedExtensions } from "@tau/bundled";

export interface SdkExtensionParts {
	cwd: string;
	env: Env;
	settings: Settings;
	/** The resumed session: extensions that ship with Tau read the data that extensions stored in it. */
	past: SessionManager | undefined;
	onNotice(message: string): void;
}

/** Returns undefined when no extension is requested: then the code that runs them is not loaded either. */
export async function loadSdkExtensions(
	requested: readonly (string | ExtensionFactory)[],
	{ cwd, env, settings, past, onNotice }: SdkExtensionParts,
): Promise<Extensions | undefined> {
	const mayHavePast = past?.getHeads().some(({ type }) => type === "custom") ?? false;
	if (requested.length === 0 && !mayHavePast) return undefined;
	const { agent: agentDir, home } = dirs(env);
	const request = {
		cwd,
		home,
		agentDir,
		explicit: requested.filter((each) => typeof each === "string"),
		configured: [],
		disabled: [],
		withDiscovery: false,
		// The program names its extensions, and no project is searched for them.
		isTrusted: false,
		shipped: shippedExtensions({ mode: "print", mayHavePast, wantsExtensions: true }),
	};
	const files = await discoverExtensions(request);
	const discovery = { ...files, extensions: [...files.extensions, ...requested.flatMap(inline)] };
	const { Extensions: Loader } = await import("@tau/extensions/host");
	const extensions = await Loader.load({
		...request,
		modules: virtualModules,
		discovery,
		getSetting: (path) => settings.get(path as SettingPath),
		onNotice,
	});
	for (const { path, error } of extensions.problems)
		onNotice(`The extension ${path} was not loaded: ${error}`);
	return extensions;
}

/** Notifies extensions of the session start; without a mode there is no user to ask. */
export async function startSdkExtensions(
	extensions: Extensions,
	mode: Partial<ExtensionMode>,
	onNotice: (message: string) => void,
): Promise<void> {
	const { printMode } = await import("@tau/extensions/ui");
	await extensions.start({ ...printMode(onNotice), ...mode });
}

function inline(factory: string | ExtensionFactory, index: number): DiscoveredExtension[] {
	if (typeof factory === "string") return [];
	const path = `<inline:${factory.name || index + 1}>`;
	const sourceInfo = { path, source: "sdk", scope: "temporary", origin: "top-level" } as const;
	return [{ path, sourceInfo, load: async () => factory }];
}
