/** The read-only actions of `tau plugin`: what is installed, and whether it is valid. */
import { dirs, shortenHome, UsageError } from "@tau/utils";
import { columns, cut } from "@tau/utils/text-table";
import {
	findPackages,
	openPackage,
	type InstalledPackage,
	resourceKinds,
	projectHome,
	userHome,
} from "@tau/extensions/packages";
import { examinePackages, type Check } from "@tau/extensions/packages/install";
import { isTrusted } from "@tau/extensions/trust";

import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { PluginRequest } from "./command.ts";
import { optionsOf } from "./named.ts";
import { jsonLine, lineWidth, printed } from "../sessions/output.ts";

/** Covers this directory: the user's packages, the project's, and those that other programs installed. */
export async function list({ args, isJson, operands }: PluginRequest): Promise<number> {
	if (operands.length > 0) throw new UsageError("Usage: tau plugin list");
	const { agent: agentDir, home } = dirs();
	const cwd = process.cwd();
	const trusted = args.flags.has("trust") || isTrusted(cwd, agentDir);
	const { packages, problems } = findPackages({ cwd, home, agentDir, isTrusted: trusted });
	for (const { path, message } of problems) printError(`${shortenHome(path)}: ${message}`);
	const shown = args.flags.has("local") ? packages.filter(({ scope }) => scope === "project") : packages;
	const rows = shown.map((one) => rowOf(one, trusted));
	if (isJson) return printed(rows.map(jsonLine).join(""));
	if (rows.length === 0) return printed("No packages installed. See tau plugin --help.\n");
	const table = columns([
		["NAME", "VERSION", "SCOPE", "HAS", "SOURCE"],
		...rows.map(({ name, version, scope, source, contents, state }) => [
			name,
			version,
			scope,
			state === "on" ? contents : `(${state})`,
			shortenHome(source),
		]),
	]);
	return printed(table.map((line) => `${cut(line, lineWidth())}\n`).join(""));
}

function rowOf(one: InstalledPackage, trusted: boolean) {
	const { name, version, scope, source, from, root, off, features } = one;
	const { contents, problem } = openPackage(one);
	const counts = resourceKinds
		.map((kind) => ({ kind, count: contents.resources[kind].length }))
		.filter(({ count }) => count > 0);
	const waits =
		scope === "project" && !trusted ? "its code does not run until the project is trusted" : undefined;
	return {
		name,
		version,
		scope,
		from,
		source,
		path: root,
		features,
		state: problem ?? off ?? waits ?? "on",
		contents: counts
			.map(({ kind, count }) => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`)
			.join(", "),
	};
}

/** Returns both homes, unless one is requested. */
export async function doctor(request: PluginRequest): Promise<number> {
	const { args, isJson, operands } = request;
	if (operands.length > 0) throw new UsageError("Usage: tau plugin doctor [--fix]");
	const cwd = process.cwd();
	const homes = args.flags.has("local") ? [projectHome(cwd)] : [userHome(dirs().agent), projectHome(cwd)];
	const isFixing = args.flags.has("fix");
	const checks: Check[] = [];
	for (const home of homes)
		checks.push(...(await examinePackages({ ...optionsOf({ ...request, home }), cwd, isFixing })));
	const isSick = checks.some(({ status, fixed }) => status === "error" && fixed !== true);
	const text =
		checks.length === 0 ? "No packages installed; no problems found.\n" : checks.map(checkLine).join("");
	const code = await printed(isJson ? checks.map(jsonLine).join("") : text);
	return code === exitCodes.answered && isSick ? exitCodes.failed : code;
}

function checkLine({ name, status, message, fixed }: Check): string {
	const state = fixed === true ? "fixed" : status;
	return `${state.padEnd(7)}  ${shortenHome(name)}: ${message}\n`;
}
