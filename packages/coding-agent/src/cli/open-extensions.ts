/** Loads the extensions of a run, where there are any, and says which ones could not be. */
import { dirs, log, shortenHome, span } from "@tau/utils";

import type { Settings } from "../config/settings/index.ts";
import type { Extensions } from "../extensibility/extensions/extensions.ts";
import {
	discoverExtensions,
	type Discovery,
	type DiscoverRequest,
} from "../extensibility/extensions/load/discover.ts";
import { isTrusted, trustOf } from "../extensibility/extensions/load/trust.ts";
import type { Args } from "./args.ts";

export interface OpenExtensionsOptions {
	args: Args;
	cwd: string;
	settings: Pick<Settings, "get">;
	onNotice(message: string): void;
	/** Whether code of the project may run after all; absent where nobody can be asked. */
	askTrust?: AskTrust | undefined;
}

export type AskTrust = (untrusted: readonly string[]) => Promise<boolean>;

/** Nothing where there are none: then nothing of all that runs them is loaded either. */
export async function openExtensions(options: OpenExtensionsOptions): Promise<Extensions | undefined> {
	const { onNotice } = options;
	const { request, discovery } = await look(options);
	const { found, problems, untrusted, shadowed } = discovery;
	if (untrusted.length > 0 && !isSettled(options)) onNotice(untrustedNotice(untrusted));
	if (shadowed.length > 0) log.info("extensions of the same name are loaded once", { shadowed });
	if (found.length === 0 && problems.length === 0) return undefined;
	using _ = span("extensions");
	const { Extensions: Loader } = await import("../extensibility/extensions/extensions.ts");
	const extensions = await Loader.load({ ...request, discovery, onNotice });
	for (const { path, error } of extensions.problems)
		onNotice(`The extension ${shortenHome(path)} was not loaded: ${error}`);
	for (const { path, warnings } of extensions.runner.extensions)
		for (const warning of warnings) onNotice(`${shortenHome(path)}: ${warning}`);
	return extensions;
}

/** Where code of the project is left out, the person is asked about it, and a yes counts at once. */
async function look(
	options: OpenExtensionsOptions,
): Promise<{ request: DiscoverRequest; discovery: Discovery }> {
	const request = requestOf(options);
	const discovery = discoverExtensions(request);
	const { untrusted } = discovery;
	if (untrusted.length === 0 || !(await options.askTrust?.(untrusted))) return { request, discovery };
	const trusting = { ...request, isTrusted: true };
	return { request: trusting, discovery: discoverExtensions(trusting) };
}

/** Whoever said no to the question is not told so at each start. */
function isSettled({ askTrust, cwd }: OpenExtensionsOptions): boolean {
	return askTrust !== undefined && trustOf(cwd, dirs().agent) === false;
}

function requestOf({ args: { flags, repeated }, cwd, settings }: OpenExtensionsOptions): DiscoverRequest {
	const { agent: agentDir, home } = dirs();
	return {
		cwd,
		home,
		agentDir,
		explicit: repeated?.get("extension") ?? [],
		configured: settings.get("extensions"),
		disabled: settings.get("disabledExtensions"),
		withDiscovery: !flags.has("no-extensions"),
		isTrusted: flags.has("trust") || isTrusted(cwd, agentDir),
	};
}

function untrustedNotice(paths: readonly string[]): string {
	const what = paths.length === 1 ? "An extension" : `${paths.length} extensions`;
	return `${what} of this project did not run, because the project is not trusted. Look at them, then use --trust.`;
}
