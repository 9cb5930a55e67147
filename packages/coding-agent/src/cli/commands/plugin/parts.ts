/** `tau plugin show`, and `enable` and `disable` for single parts of a package. */
import { statSync } from "node:fs";
import { join } from "node:path";

import { dirs, UsageError } from "@tau/utils";
import { columns, cut } from "@tau/utils/text-table";
import {
	rootOf,
	findPackages,
	openPackage,
	type InstalledPackage,
	partsMeant,
	partsOf,
	type Part,
} from "@tau/extensions/packages";
import { changePackage } from "@tau/extensions/packages/install";
import { isTrusted } from "@tau/extensions/trust";

import type { PluginRequest } from "./command.ts";
import { failed, hintAtScope, optionsOf, packageNamed } from "./named.ts";
import { jsonLine, lineWidth, printed } from "../sessions/output.ts";

/** Covers every package that is active here, regardless of who installed it. */
export async function showParts(request: PluginRequest): Promise<number> {
	const { operands, isJson, home } = request;
	const [name, ...more] = operands;
	if (name === undefined || more.length > 0) throw new UsageError("Usage: tau plugin show <name>");
	const installedPackages = packagesHere().filter((one) => one.name === name);
	const one = installedPackages.find(({ scope }) => scope === home.scope) ?? installedPackages[0];
	if (!one) return failed(notThere(name, request));
	const parts = partsOf(one.root);
	if (!parts.ok) return failed(parts.reason);
	const rows = parts.value.map((part) => ({ ...part, isOn: isOn(part, one) }));
	if (isJson) return printed(rows.map(jsonLine).join(""));
	if (rows.length === 0) return printed(`${name} has nothing Tau can use.\n`);
	const table = columns([
		["PART", "", "FILE"],
		...rows.map((row) => [row.name, row.isOn ? "on" : "off", row.path]),
	]);
	return printed(table.map((line) => `${cut(line, lineWidth())}\n`).join(""));
}

/** True when the part is used: features, filters of the settings and its own switch decide. */
function isOn({ kind, path }: Part, one: InstalledPackage): boolean {
	if (one.off !== undefined) return false;
	const { contents } = openPackage(one);
	const file = isSingleFile(one.root) ? one.root : join(one.root, path);
	return contents.resources[kind].some((resource) => resource.path === file);
}

function isSingleFile(root: string): boolean {
	return statSync(root, { throwIfNoEntry: false })?.isFile() === true;
}

function packagesHere(): InstalledPackage[] {
	const { agent: agentDir, home } = dirs();
	const cwd = process.cwd();
	return findPackages({ cwd, home, agentDir, isTrusted: isTrusted(cwd, agentDir) }).packages;
}

/** `words` select the parts. */
export async function turnParts(request: PluginRequest, name: string, enabled: boolean): Promise<number> {
	const { operands, home, isJson } = request;
	const one = packageNamed(home, name);
	if (!one.ok) return failed(notThere(name, request));
	const root = rootOf(home, one.entry);
	if (isSingleFile(root))
		return failed(`${name} is a single file. Use tau plugin ${enabled ? "enable" : "disable"} ${name}`);
	const parts = partsOf(root);
	if (!parts.ok) return failed(parts.reason);
	const meant: Part[] = [];
	for (const word of operands) {
		const outcome = partsMeant(word, parts.value);
		if (!outcome.ok) return failed(`${name}: ${outcome.reason}`);
		meant.push(...outcome.value.filter((part) => !meant.includes(part)));
	}
	const paths = meant.map(({ path }) => path);
	const done = await changePackage(name, optionsOf(request), ({ without = [], ...entry }) => {
		const kept = without.filter((path) => !paths.includes(path));
		const off = enabled ? kept : [...kept, ...paths];
		return { entry: off.length === 0 ? entry : { ...entry, without: off } };
	});
	if (!done.ok) return failed(done.reason);
	const lines = meant.map((part) =>
		isJson
			? jsonLine({ name, part: part.name, path: part.path, enabled })
			: `${enabled ? "Enabled" : "Disabled"} ${part.name} of ${name}.\n`,
	);
	const stillOff = enabled && !done.value.enabled && !isJson;
	return printed(
		lines.join("") + (stillOff ? `${name} itself is disabled. Run tau plugin enable ${name}.\n` : ""),
	);
}

/** A package of another program belongs to that program: Tau's settings decide which parts are used. */
function notThere(name: string, request: PluginRequest): string {
	const named = packageNamed(request.home, name);
	const reason = named.ok ? "" : hintAtScope(named.reason, [name], request);
	const other = packagesHere().find((one) => one.name === name && one.from !== "packages");
	if (!other) return reason;
	return `${name} was installed by another program (${other.source}). To use part of it, add it to packages in your settings; to leave it out, add it to discovery.disabled.`;
}
