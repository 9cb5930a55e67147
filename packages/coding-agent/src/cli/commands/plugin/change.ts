/** The actions of `tau plugin` that change what is installed. */
import { dirs, shortenHome, UsageError, remoteWord, sourceWord } from "@tau/utils";
import { openPackage, resourceKinds, readSource, sourceText, rootOf } from "@tau/extensions/packages";
import {
	changePackage,
	installPackages,
	uninstallPackages,
	updatePackages,
	type Installed,
	type Updated,
	type PackageRequest,
	sourceInMarket,
} from "@tau/extensions/packages/install";
import { isTrusted } from "@tau/extensions/trust";
import { printError } from "../../print-error.ts";
import type { PluginRequest } from "./command.ts";
import { failed, hintAtScope, optionsOf, rejectUnknown } from "./named.ts";
import { turnParts } from "./parts.ts";
import { jsonLine, printed } from "../sessions/output.ts";

export async function install(request: PluginRequest): Promise<number> {
	const { operands, args, isJson, home } = request;
	if (operands.length === 0)
		throw new UsageError("Usage: tau install npm:name, git:host/user/repo or ./path");
	const packageRequests = operands.map(wantedOf);
	if (args.flags.has("dry-run")) {
		const lines = packageRequests.map(({ source }) => sourceText(source));
		const text = lines.map((line) => `Would install ${shortenHome(line)}\n`).join("");
		return printed(isJson ? jsonLine({ wouldInstall: lines, scope: home.scope }) : text);
	}
	const done = await installPackages(packageRequests, {
		...optionsOf(request),
		isForced: args.flags.has("force"),
	});
	if (!done.ok) return failed(done.reason);
	for (const { warnings } of done.value) for (const warning of warnings) printError(warning);
	const code = await printed(
		done.value
			.map((one) => (isJson ? jsonLine(rowOf(one, request)) : `${sentenceOf(one, request)}\n`))
			.join(""),
	);
	if (home.scope === "project" && !isTrusted(process.cwd(), dirs().agent))
		printError(
			"This project is not trusted, so its packages do not run code yet. Trust it with tau --trust, or answer yes when Tau asks.",
		);
	return code;
}

export async function link(request: PluginRequest): Promise<number> {
	const [path, ...more] = request.operands;
	if (path === undefined || more.length > 0) throw new UsageError("Usage: tau plugin link <path>");
	if (remoteWord.test(path))
		throw new UsageError(`${path} is not a path. To fetch a package, use tau plugin install.`);
	return install({ ...request, operands: [sourceWord.test(path) ? path : `./${path}`] });
}

function wantedOf(typed: string): PackageRequest {
	const offered = sourceInMarket(typed, dirs().home);
	if (offered && !offered.ok) throw new UsageError(offered.reason);
	const word = offered?.value ?? typed;
	const read = readSource(word, { cwd: process.cwd(), home: dirs().home });
	if (!read.ok) throw new UsageError(read.reason);
	return read;
}

interface InstalledRow {
	name: string;
	version: string;
	source: string;
	scope: string;
	before?: string;
	path: string;
	contents: Record<string, number>;
}

function rowOf({ name, entry, before }: Installed, { home }: PluginRequest): InstalledRow {
	const root = rootOf(home, entry);
	const { contents } = openPackage({
		name,
		version: entry.version,
		source: entry.source,
		from: "packages",
		scope: home.scope,
		root,
		features: entry.enabledFeatures,
		filters: [],
	});
	const counts = resourceKinds.map((kind): [string, number] => [kind, contents.resources[kind].length]);
	return {
		name,
		version: entry.version,
		source: entry.source,
		scope: home.scope,
		...(before ? { before: before.version } : {}),
		path: root,
		contents: Object.fromEntries(counts.filter(([, count]) => count > 0)),
	};
}

function sentenceOf(one: Installed, request: PluginRequest): string {
	const { name, version, before, contents, path } = rowOf(one, request);
	const what = Object.entries(contents).map(
		([kind, count]) => `${count} ${count === 1 ? kind.replace(/s$/, "") : kind}`,
	);
	const verb = one.entry.path === undefined ? "Installed" : "Linked";
	const was = before === undefined || before === version ? "" : ` (was ${before})`;
	const where = one.entry.path === undefined ? "" : ` from ${shortenHome(path)}`;
	return `${verb} ${name} ${version}${was}${where}: ${what.join(", ") || "nothing Tau can use"}.`;
}

export async function uninstall(request: PluginRequest): Promise<number> {
	const { operands, isJson } = request;
	if (operands.length === 0) throw new UsageError("Usage: tau plugin uninstall <name>");
	rejectUnknown(operands, request);
	const names = operands.map(absolute);
	const done = await uninstallPackages(names, optionsOf(request));
	if (!done.ok) return failed(hintAtScope(done.reason, names, request));
	return printed(
		operands.map((name) => (isJson ? jsonLine({ removed: name }) : `Removed ${name}.\n`)).join(""),
	);
}

/** A path is relative to the current directory, not to the directory of the lock file. */
function absolute(word: string): string {
	const read = sourceWord.test(word) ? wantedOf(word) : undefined;
	return read?.source.kind === "path" ? read.source.path : word;
}

export async function update(request: PluginRequest): Promise<number> {
	rejectUnknown(request.operands, request);
	const done = await updatePackages(request.operands.map(absolute), optionsOf(request));
	if (!done.ok) return failed(hintAtScope(done.reason, request.operands, request));
	if (done.value.length === 0) return printed(request.isJson ? "" : "No packages installed.\n");
	return printed(
		done.value.map((one) => (request.isJson ? jsonLine(one) : `${updateSentence(one)}\n`)).join(""),
	);
}

function updateSentence({ name, before, after, state }: Updated): string {
	switch (state) {
		case "updated":
			return before === after ? `${name}: updated within ${after}.` : `${name}: ${before} → ${after}.`;
		case "current":
			return `${name}: ${after} is up to date.`;
		case "pinned":
			return `${name}: pinned at ${after}.`;
		case "linked":
			return `${name}: linked; nothing to update.`;
	}
}

export function enable(request: PluginRequest): Promise<number> {
	return turn(request, true);
}

export function disable(request: PluginRequest): Promise<number> {
	return turn(request, false);
}

async function turn(request: PluginRequest, enabled: boolean): Promise<number> {
	const [name, ...parts] = request.operands;
	if (name === undefined)
		throw new UsageError(`Usage: tau plugin ${enabled ? "enable" : "disable"} <name> [part…]`);
	if (parts.length > 0) return turnParts({ ...request, operands: parts }, name, enabled);
	const done = await changePackage(name, optionsOf(request), (entry) => ({ entry: { ...entry, enabled } }));
	if (!done.ok) return failed(hintAtScope(done.reason, [name], request));
	return printed(
		request.isJson ? jsonLine({ name, enabled }) : `${enabled ? "Enabled" : "Disabled"} ${name}.\n`,
	);
}
