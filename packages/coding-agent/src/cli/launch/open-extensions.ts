/** Loads the extensions of a run, if there are any, and reports those that failed to load. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { dirs, expandHome, log, shortenHome, span, remoteWord, UsageError } from "@tau/utils";
import { virtualModules } from "@tau/compat";
import type { AskTrust } from "@tau/extensions/assembly";
import { Switches } from "@tau/resources/discovery";
import type { Extensions } from "@tau/extensions/host";
import { discoverExtensions, type Discovery, type DiscoverRequest } from "@tau/extensions/load";
import { packagedExtensions, packageSetting, packageSettingPrefix } from "@tau/extensions/packages";
import {
	decideForRun,
	isTrusted,
	recheckCode,
	rememberCode,
	setTrusted,
	trustOf,
	watchCode,
	withheldNotice,
} from "@tau/extensions/trust";
import type { SettingPath, Settings } from "@tau/config/settings";
import { shippedExtensions, type RunFacts } from "@tau/bundled";
import type { Args } from "../args.ts";
import { modeCommands } from "../command-table.ts";
import { provideApplication } from "./application.ts";
import { isInteractive } from "./is-interactive.ts";
import { installPiShims } from "../pi-shims.ts";
import { watchExtensions } from "../watch/watch.ts";

export interface OpenExtensionsOptions {
	args: Args;
	cwd: string;
	settings: Pick<Settings, "get">;
	onNotice(message: string): void;
	/** Gets what did not run for lack of trust, to report it with the rest; absent: a notice of its own. */
	onWithheld?: ((part: string) => void) | undefined;
	/** Asks whether code of the project may run after all; absent when no user can be asked. */
	askTrust?: AskTrust | undefined;
}

interface Opening extends OpenExtensionsOptions {
	/** The paths of `-e`: files and directories. */
	explicit: readonly string[];
}

/** Returns undefined when there are no extensions: then the code that runs them is not loaded either. */
export async function openExtensions(requested: OpenExtensionsOptions): Promise<Extensions | undefined> {
	const options: Opening = { ...requested, explicit: await explicitOf(requested) };
	const { onNotice, settings } = options;
	const { agent } = dirs();
	const { request, discovery } = await look(options);
	// The flag is about the code as it was at the start.
	const changes = options.args.flags.has("trust") ? watchCode(options.cwd) : undefined;
	const isTrustedNow = (): boolean => changes?.().length === 0 || trustOf(options.cwd, agent) === true;
	const { extensions: discovered, problems, shadowed, ignored } = discovery;
	const withheld = withheldIn(discovery, options);
	if (withheld !== undefined && options.onWithheld) options.onWithheld(withheld);
	else if (withheld !== undefined) onNotice(withheldNotice([withheld], options.cwd, agent));
	if (!options.args.flags.has("trust")) rememberCode(options.cwd, agent);
	if (shadowed.length > 0) log.info("extensions of the same name are loaded once", { shadowed });
	if (ignored.length > 0) onNotice(ignoredNotice(ignored));
	if (discovered.length === 0 && problems.length === 0) return undefined;
	using _ = span("extensions");
	if (discovered.some(({ load }) => !load)) {
		watchExtensions();
		installPiShims();
	}
	provideApplication();
	const { Extensions: Loader } = await import("@tau/extensions/host");
	const { ExtensionScope, supportLimits } = await import("@tau/extensions/support");
	const { captureOutputUntilExit: catchOutputUntilExit } = await import("../capture-output.ts");
	const scope = new ExtensionScope();
	const { mode } = runFacts(options.args);
	const extensions = await Loader.load({
		...request,
		scope,
		modules: virtualModules,
		discovery,
		discover: () => discoverAgain(options, isTrustedNow, changes),
		getSetting: (path) =>
			path.startsWith(packageSettingPrefix)
				? packageSetting(path, process.env, { ...request, isTrusted: isTrustedNow() })
				: // Untyped callers may pass any path.
					settings.get(path as SettingPath),
		// A user at a prompt can start without an extension; a script needs all that it names.
		...(mode === "tui" ? { graceMs: supportLimits.slowLoadMs } : {}),
		whileLoaded: catchOutputUntilExit({ mode, scope, onNotice }),
		onNotice,
	});
	// A custom tool and a hook are loaded as extensions too, and are none to their user.
	for (const { path, error } of extensions.problems)
		onNotice(`${shortenHome(path)} was not loaded: ${error}`);
	for (const { path, warnings } of extensions.runner.extensions)
		for (const warning of warnings) onNotice(`${shortenHome(path)}: ${warning}`);
	return extensions;
}

/** A package that `-e` names is fetched; one that cannot be had costs only itself. */
async function explicitOf({ args, cwd, onNotice }: OpenExtensionsOptions): Promise<string[]> {
	const files: string[] = [];
	for (const text of (["extension", "hook"] as const).flatMap((flag) => args.repeated?.get(flag) ?? [])) {
		if (!remoteWord.test(text)) {
			// A script needs all that it names; a user at a terminal can go on without it.
			if (!isInteractive(args) && !existsSync(resolve(cwd, expandHome(text))))
				throw new UsageError(`--extension: ${text} does not exist. Give a file or a directory.`);
			files.push(text);
			continue;
		}
		try {
			const { temporaryExtensions } = await import("@tau/extensions/packages/install");
			files.push(...(await temporaryExtensions(text, { cwd, env: process.env, onNotice })));
		} catch (error) {
			onNotice(`${text} was not loaded: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	return files;
}

/** When project code is left out, the user is asked about it, and a yes takes effect at once. */
async function look(options: Opening): Promise<{ request: DiscoverRequest; discovery: Discovery }> {
	const request = requestOf(options);
	const discovery = await discoverExtensions(request);
	const { untrusted } = discovery;
	if (await isRefused(options, request, discovery)) {
		const refused = { ...request, isTrusted: false };
		return { request: refused, discovery: await discoverExtensions(refused) };
	}
	if (untrusted.length === 0 || !(await options.askTrust?.(untrusted))) return { request, discovery };
	const trusting = { ...request, isTrusted: true };
	return { request: trusting, discovery: await discoverExtensions(trusting) };
}

/** The user's extensions may reject a project that has code; `--trust` is the user's own decision. */
async function isRefused(
	{ args, cwd, onNotice }: Opening,
	request: DiscoverRequest,
	discovery: Discovery,
): Promise<boolean> {
	const { extensions, untrusted } = discovery;
	const hasCode = untrusted.length > 0 || extensions.some(({ sourceInfo }) => sourceInfo.scope === "project");
	if (!hasCode || args.flags.has("trust")) return false;
	const { refusal } = await import("@tau/extensions/trust");
	const { mode } = runFacts(args);
	const no = await refusal({
		request: { ...request, onNotice },
		discovery,
		mode,
		async load(loadRequest) {
			provideApplication();
			const { Extensions: Loader } = await import("@tau/extensions/host");
			const { captureOutput: catchOutput } = await import("../capture-output.ts");
			return await Loader.load({
				...loadRequest,
				modules: virtualModules,
				whileLoaded: catchOutput({ mode, onNotice }),
			});
		},
	});
	if (!no) return false;
	if (no.remember) setTrusted(cwd, dirs().agent, false);
	else decideForRun(cwd, false);
	return true;
}

/** For a reload: commands may have written code since the user was asked, and that is not loaded. */
async function discoverAgain(
	options: Opening,
	isTrustedNow: () => boolean,
	changes: ReturnType<typeof watchCode> | undefined,
): Promise<Discovery> {
	recheckCode();
	const discovery = await discoverExtensions({ ...requestOf(options), isTrusted: isTrustedNow() });
	const withheld = withheldIn(discovery, options);
	if (withheld !== undefined)
		options.onNotice(withheldNotice([withheld], options.cwd, dirs().agent, changes?.()));
	return discovery;
}

/** What does not run for lack of trust, if the user has not decided so. */
function withheldIn({ untrusted }: Discovery, options: OpenExtensionsOptions): string | undefined {
	if (untrusted.length === 0 || isSettled(options)) return undefined;
	return untrusted.length === 1 ? "an extension" : `${untrusted.length} extensions`;
}

/** A user who answered no is not reminded of it at each start. */
function isSettled({ args, askTrust, cwd }: OpenExtensionsOptions): boolean {
	if (args.flags.has("no-approve")) return true;
	return askTrust !== undefined && trustOf(cwd, dirs().agent) === false;
}

function requestOf({ args, cwd, settings, explicit }: Opening): DiscoverRequest {
	const { flags } = args;
	const { agent: agentDir, home } = dirs();
	const switches = new Switches(settings.get("discovery.disabled"));
	return {
		cwd,
		home,
		agentDir,
		explicit,
		configured: settings.get("extensions"),
		disabled: settings.get("disabledExtensions"),
		withDiscovery: !flags.has("no-extensions"),
		isTrusted: flags.has("trust") || isTrusted(cwd, agentDir),
		packaged: (mayRun) => packagedExtensions({ cwd, home, agentDir, isTrusted: mayRun }, switches),
		shipped: shippedExtensions(runFacts(args)),
	};
}

const past = ["continue", "resume", "session", "fork"] as const;

function runFacts(args: Args): RunFacts {
	const { flags, command } = args;
	// A command has no conversation.
	if (command !== undefined) return { mode: "print", mayHavePast: false, wantsExtensions: false };
	const isServed = ["rpc", ...modeCommands].includes(flags.get("mode") ?? "");
	const mode = isServed ? "rpc" : isInteractive(args) ? "tui" : "print";
	return {
		mode,
		mayHavePast: mode !== "print" || past.some((flag) => flags.has(flag)),
		wantsExtensions: !flags.has("no-extensions"),
	};
}

function ignoredNotice(paths: readonly string[]): string {
	const [first = "", ...rest] = paths.map((path) => shortenHome(path));
	const more = rest.length > 0 ? ` and ${rest.length} more` : "";
	return `${first}${more}: not loaded, because git ignores ${rest.length > 0 ? "them" : "it"}. To load an extension that is not part of the project, name it in "extensions" of your settings.`;
}
