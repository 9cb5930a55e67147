/** `tau setup`: what Tau could use on this machine, what is missing, and its installation on request. */
import { projectRoot } from "@tau/log/journal";
import { localMachine } from "@tau/sys";
import { projectServers } from "@tau/integrations/lsp";
import { hostProgram, shortenHome, stripControls, UsageError } from "@tau/utils";
import { columns } from "@tau/utils/text-table";

import type { Args } from "../../args.ts";
import { confirm } from "../../confirm.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { onInterrupt } from "../../signals.ts";
import { isJson, jsonLine, printed } from "../sessions/output.ts";
import { components, findComponents, type Component, type Found } from "./components.ts";
import { importFromOthers } from "./import.ts";
import { installCommand, managerHere, needsOther, type PackageManager } from "./package-managers.ts";
import { surroundings, type Surrounding } from "./surroundings.ts";

const which = (program: string): string | undefined => hostProgram(program);
/** Where there is no sudo, a user has to become root in another way. */
const rights = { isRoot: process.getuid?.() === 0, hasSudo: which("sudo") !== undefined };

export async function runSetup(args: Args): Promise<number> {
	const [what = "list", ...names] = args.operands;
	if (args.flags.has("remove") && what !== "acp") throw new UsageError("--remove is for tau setup acp.");
	if (what === "lsp") return listServers(args);
	if (what === "install") return installMissing(names, args);
	if (what === "import") return importFromOthers(args);
	if (what === "acp") return (await import("./editors.ts")).setUpEditors(args);
	const found = findComponents(which, process.platform);
	const around = surroundings(process.env, process.stdout.isTTY);
	const manager = managerHere(which);
	if (isJson(args)) return printed(rowsOf(found, around, manager).map(jsonLine).join(""));
	return printed(textOf(found, around, manager));
}

/** What Tau does not work well without and is missing, with the command that installs it. */
export function missingComponents(): { component: Component; install: string | undefined }[] {
	const manager = managerHere(which);
	return findComponents(which, process.platform)
		.filter(({ component, path }) => path === undefined && component.isNeeded)
		.map(({ component }) => ({ component, install: shownCommand([component], manager) }));
}

function rowsOf(
	found: readonly Found[],
	around: readonly Surrounding[],
	manager: PackageManager | undefined,
): object[] {
	return [
		...found.map(({ component, path }) => ({
			component: component.id,
			purpose: component.purpose,
			...(path === undefined ? { install: shownCommand([component], manager) } : { path }),
		})),
		...around.map(({ id, state, fix }) => ({ component: id, state, ...(fix === undefined ? {} : { fix }) })),
	];
}

function textOf(
	found: readonly Found[],
	around: readonly Surrounding[],
	manager: PackageManager | undefined,
): string {
	const rows = found.map(({ component, path }) => [
		component.id,
		path === undefined ? "missing" : shortenHome(path),
		component.purpose,
	]);
	const others = around.map(({ id, state, fix }) => [id, state, fix ?? ""]);
	const missing = found.filter(({ path }) => path === undefined).map(({ component }) => component);
	const command = shownCommand(missing, manager);
	const advice = [
		...(missing.length === 0 ? ["Everything that Tau can use is installed."] : []),
		...(command
			? [
					`To install what is missing: tau setup install ${missing.map(({ id }) => id).join(" ")}`,
					`It would run: ${command}`,
				]
			: []),
		"Language servers of this project: tau setup lsp. Keys and sessions of other agents: tau setup import",
	];
	return `${[...columns([...rows, ...others]), "", ...advice].join("\n")}\n`;
}

/** Undefined if no package manager is known, or none of its packages. */
function commandFor(
	missing: readonly Component[],
	manager: PackageManager | undefined,
): string[] | undefined {
	const packages = missing.flatMap((component) => (manager && component.packages[manager.name]) ?? []);
	return manager && packages.length > 0 ? installCommand(manager, packages, rights) : undefined;
}

function shownCommand(
	missing: readonly Component[],
	manager: PackageManager | undefined,
): string | undefined {
	const command = commandFor(missing, manager)?.join(" ");
	return command !== undefined && manager && needsOther(manager, rights) ? `as root: ${command}` : command;
}

async function installMissing(names: readonly string[], args: Args): Promise<number> {
	const known = findComponents(which, process.platform);
	const unknown = names.find((name) => known.every(({ component }) => component.id !== name));
	if (unknown !== undefined)
		throw new UsageError(
			`There is no component ${unknown}. Choose from: ${components.map(({ id }) => id).join(", ")}.`,
		);
	const missing = known
		.filter(
			({ component, path }) => path === undefined && (names.length === 0 || names.includes(component.id)),
		)
		.map(({ component }) => component);
	if (missing.length === 0) return printed("Nothing is missing.\n");
	const manager = managerHere(which);
	const command = commandFor(missing, manager);
	if (!manager || !command)
		throw new Error(
			`No known package manager has ${missing.map(({ id }) => id).join(", ")}. Install it by hand.`,
		);
	if (needsOther(manager, rights))
		throw new Error(`Installing needs root, and there is no sudo. Run as root: ${command.join(" ")}`);
	if (!(await mayRun(command, args))) return exitCodes.failed;
	const [name = "", ...rest] = command;
	const child = Bun.spawn([which(name) ?? name, ...rest], {
		stdin: "inherit",
		stdout: "inherit",
		stderr: "inherit",
	});
	const code = await child.exited;
	const still = findComponents(which, process.platform).filter(
		({ component, path }) => path === undefined && missing.includes(component),
	);
	if (code === 0 && still.length === 0)
		return printed(`Installed ${missing.map(({ id }) => id).join(", ")}.\n`);
	throw new Error(
		`${command.join(" ")} ended with exit code ${code}; still missing: ${still.map(({ component }) => component.id).join(", ") || "nothing"}.`,
	);
}

/** Nothing is installed without a yes to the command that is shown. */
async function mayRun(command: readonly string[], args: Args): Promise<boolean> {
	await printed(`This will run: ${command.join(" ")}\n`);
	if (args.flags.has("yes")) return true;
	if (!process.stdin.isTTY) throw new UsageError("Not a terminal: pass --yes to install.");
	using interruption = onInterrupt();
	return await confirm("Run it?", interruption.signal);
}

/** The language servers that the project would use, and how to install those that are missing. */
async function listServers(args: Args): Promise<number> {
	const settings = await openSettings(args);
	const cwd = process.cwd();
	const servers = await projectServers({
		files: localMachine().files,
		root: projectRoot(cwd, process.env.HOME) ?? cwd,
		env: process.env,
		servers: settings.get("lsp.servers"),
		signal: new AbortController().signal,
	});
	if (isJson(args)) return printed(servers.map(jsonLine).join(""));
	if (servers.length === 0) return printed("No language server is known for the files of this project.\n");
	const rows = servers.map(({ name, files, languages, command, install }) => [
		name,
		`${files} ${files === 1 ? "file" : "files"}`,
		languages.slice(0, 3).join(", "),
		command ? `installed: ${shortenHome(command[0] ?? "")}` : `missing: ${install}`,
	]);
	const hasMissing = servers.some(({ command }) => !command);
	const hint = hasMissing ? "\nTau does not install these. Run the commands you need.\n" : "";
	return printed(`${columns(rows.map((row) => row.map((cell) => stripControls(cell)))).join("\n")}\n${hint}`);
}
