/** What the actions of `tau plugin` share: the package that is named, and how a failure is told. */
import { dirs } from "@tau/utils";

import type { ChangeOptions } from "../extensibility/packages/change.ts";
import {
	readState,
	stateFile,
	type PackageEntry,
	type PackageState,
} from "../extensibility/packages/state.ts";
import { projectHome, userHome, type PackageHome } from "../extensibility/packages/homes.ts";
import { complain } from "./complain.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Asked } from "./plugin-command.ts";

export function optionsOf({ home, signal }: Asked): ChangeOptions {
	return {
		home,
		signal,
		env: process.env,
		onWait: (who) => complain(`${who} is installing packages; waiting.`),
	};
}

export type NamedPackage =
	{ ok: true; entry: PackageEntry; state: PackageState } | { ok: false; reason: string };

export function packageNamed({ directory }: PackageHome, name: string): NamedPackage {
	const read = readState(directory);
	if (!read.ok) return { ok: false, reason: `${stateFile(directory)}: ${read.reason}` };
	const { state } = read;
	const entry = state.plugins.get(name);
	if (entry) return { ok: true, entry, state };
	const names = [...state.plugins.keys()];
	const there = names.length === 0 ? "None is installed." : `There are: ${names.join(", ")}.`;
	return { ok: false, reason: `There is no package ${name}. ${there}` };
}

/** The other home may have what this one has not. */
export function hintAtScope(reason: string, names: readonly string[], { home }: Asked): string {
	const other = home.scope === "user" ? projectHome(process.cwd()) : userHome(dirs().agent);
	const isThere = names.some((name) => packageNamed(other, name).ok);
	if (!isThere || !reason.startsWith("There is no package")) return reason;
	return home.scope === "user"
		? `${reason} The project has it: use --local.`
		: `${reason} It is yours, not the project's: leave out --local.`;
}

export function failed(reason: string): number {
	complain(reason);
	return exitCodes.failed;
}
