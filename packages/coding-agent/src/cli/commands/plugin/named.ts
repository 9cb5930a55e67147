/** Shared by the actions of `tau plugin`: the named package, and the report of a failure. */
import { dirs, UsageError, sourceWord } from "@tau/utils";
import {
	readState,
	stateFile,
	type PackageEntry,
	type PackageState,
	projectHome,
	userHome,
	type PackageHome,
} from "@tau/extensions/packages";
import type { ChangeOptions } from "@tau/extensions/packages/install";
import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { PluginRequest } from "./command.ts";

export function optionsOf({ home, signal }: PluginRequest): ChangeOptions {
	return {
		home,
		signal,
		env: process.env,
		onWait: (who) => printError(`Waiting for ${who}, which is installing packages.`),
	};
}

export type NamedPackage =
	| { ok: true; entry: PackageEntry; state: PackageState }
	/** `isUnknown` where the list of packages could be read, and has no such name. */
	| { ok: false; reason: string; isUnknown: boolean };

export function packageNamed({ directory }: PackageHome, name: string): NamedPackage {
	const read = readState(directory);
	if (!read.ok) return { ok: false, reason: `${stateFile(directory)}: ${read.reason}`, isUnknown: false };
	const { state } = read;
	const entry = state.plugins.get(name);
	if (entry) return { ok: true, entry, state };
	const names = [...state.plugins.keys()];
	const there = names.length === 0 ? "No packages are installed." : `Installed: ${names.join(", ")}.`;
	return { ok: false, reason: `Package ${name} not found. ${there}`, isUnknown: true };
}

/** A bare word that names no package is a usage error, like an unknown model; a source is looked up. */
export function rejectUnknown(names: readonly string[], request: PluginRequest): void {
	for (const name of names) {
		const namedPackage = packageNamed(request.home, name);
		if (namedPackage.ok || !namedPackage.isUnknown || sourceWord.test(name)) continue;
		throw new UsageError(hintAtScope(namedPackage.reason, names, request));
	}
}

/** The other home may have what this one has not. */
export function hintAtScope(reason: string, names: readonly string[], { home }: PluginRequest): string {
	const other = home.scope === "user" ? projectHome(process.cwd()) : userHome(dirs().agent);
	const isThere = names.some((name) => packageNamed(other, name).ok);
	if (!isThere || !reason.startsWith("Package ")) return reason;
	return home.scope === "user"
		? `${reason} The project has this package: use --local.`
		: `${reason} It is a user package: run without --local.`;
}

export function failed(reason: string): number {
	printError(reason);
	return exitCodes.failed;
}
