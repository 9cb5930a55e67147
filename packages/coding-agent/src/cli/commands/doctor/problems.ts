/** What does not work on this machine or in this project, each with the command or the edit that fixes it. */
import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from "node:fs";
import { extname, join, resolve } from "node:path";

import type { SurveyRow } from "@tau/extensions/resources";
import { whyUntrusted } from "@tau/extensions/trust";
import { loadUserModels } from "@tau/session/models";
import { SessionSandbox } from "@tau/session/sandbox";
import { describeProblem, startupLines, type Settings } from "@tau/session/settings";
import { whyNoShell } from "@tau/sys";
import { dirs, homeOf, shortenHome, stripControls } from "@tau/utils";

import type { Discovered } from "../../../modes/shared/discovered.ts";
import { loadKeys, newKeys } from "../../../modes/interactive/keys.ts";
import type { Args } from "../../args.ts";
import { missingPackages } from "../../launch/missing-packages.ts";
import { limits } from "../../limits.ts";
import { credentialRows } from "../auth/status.ts";
import { missingComponents } from "../setup/command.ts";
import { surroundings } from "../setup/surroundings.ts";

export interface Problem {
	area: string;
	problem: string;
	/** A command, or what to edit. */
	fix: string;
}

export interface Examined {
	args: Args;
	settings: Settings;
	found: Discovered;
}

type Examination = (examined: Examined) => Problem[] | Promise<Problem[]>;

const examinations: readonly Examination[] = [
	settingsFiles,
	modelsFile,
	keyFile,
	credentials,
	sandbox,
	extensions,
	mcpServers,
	trust,
	packages,
	storage,
	programs,
	locale,
];

/** One examination that fails must not hide the others. */
export async function findProblems(examined: Examined): Promise<Problem[]> {
	const results = await Promise.allSettled(examinations.map(async (examine) => await examine(examined)));
	const problems = results.flatMap((result, at): Problem[] =>
		result.status === "fulfilled"
			? result.value
			: [
					{
						area: examinations[at]?.name ?? "",
						problem: `This could not be examined: ${result.reason instanceof Error ? result.reason.message : String(result.reason)}`,
						fix: `See the log in ${shortenHome(dirs().logs)}.`,
					},
				],
	);
	return problems.map((one) => ({
		...one,
		problem: stripControls(one.problem, { newline: false, tab: false }),
	}));
}

function settingsFiles({ settings }: Examined): Problem[] {
	const fix = "Correct that line. tau config list shows every setting, tau config doc <name> its values.";
	return startupLines(settings.problems).map((problem) => ({
		area: "settings",
		problem: shortened(problem),
		fix,
	}));
}

async function modelsFile({ settings }: Examined): Promise<Problem[]> {
	const { problems } = await loadUserModels(process.env, settings);
	return problems.map((problem) => ({
		area: "models",
		problem: shortened(describeProblem(problem)),
		fix: "Correct that line. tau --list-models shows what can be used.",
	}));
}

async function keyFile(): Promise<Problem[]> {
	const { problems } = await loadKeys(newKeys(), dirs().agent);
	return problems.map((problem) => ({
		area: "keys",
		problem: shortened(problem),
		fix: "Correct it in keybindings.yml. /hotkeys lists the keys that apply.",
	}));
}

async function credentials({ args, settings }: Examined): Promise<Problem[]> {
	const rows = await credentialRows(args, settings);
	const refused = rows
		.filter(({ state }) => state === "refused")
		.map(({ provider, note = "" }) => ({
			area: "credentials",
			problem: `${provider}: ${note.split("; run ")[0]}`,
			fix: `tau login ${provider}`,
		}));
	const isUsable = rows.some(({ state }) => state !== "refused");
	const { providers } = await loadUserModels(process.env, settings);
	const hasOwn = [...providers.values()].some(({ auth }) => auth === "none");
	if (isUsable || hasOwn) return refused;
	const problem = "There is no key and no login; only local servers and the demo model can answer.";
	return [...refused, { area: "credentials", problem, fix: "tau login" }];
}

async function sandbox({ settings }: Examined): Promise<Problem[]> {
	await using opened = new SessionSandbox({ cwd: process.cwd(), env: process.env, settings });
	if (opened.mode === "off") return [];
	const { kind, reason, fix = "tau sandbox --explain shows what is missing." } = await opened.support();
	if (kind === "none") {
		const effect = opened.mode === "required" ? "No command runs" : "Commands run without a sandbox";
		return [{ area: "sandbox", problem: `${effect}: ${reason}.`, fix }];
	}
	// What a machine offers in general may still not work for this project.
	const failure = await firstShell(opened);
	if (failure !== undefined) {
		const problem = `No command starts in the sandbox (${kind}): ${failure}.`;
		const off = "To run commands without one: tau config set sandbox.mode off";
		return [{ area: "sandbox", problem, fix: `${fix} ${off}` }];
	}
	const isInstalled = missingComponents().every(({ component }) => component.id !== "bubblewrap");
	if (kind !== "landlock" || !isInstalled) return [];
	return [{ area: "sandbox", problem: `Commands run in Landlock: ${reason}.`, fix }];
}

/** Starts one as a session does, with what this project and the settings hide and allow. */
async function firstShell(opened: SessionSandbox): Promise<string | undefined> {
	try {
		const launcher = await opened.launcher();
		return launcher && (await whyNoShell(launcher, process.cwd(), process.env));
	} catch (error) {
		return firstLine(error).replace(/\.$/, "");
	}
}

/** They are compiled and not run: an extension may do anything. */
async function extensions({ found }: Examined): Promise<Problem[]> {
	const checked = used(found, "extensions").map(async ({ name, path }): Promise<Problem[]> => {
		const loader = ({ ".ts": "ts", ".tsx": "tsx", ".js": "js", ".mjs": "js" } as const)[extname(path)];
		if (loader === undefined || !existsSync(path)) return [];
		try {
			new Bun.Transpiler({ loader }).transformSync(await Bun.file(path).text());
			return [];
		} catch (error) {
			const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
			const line = first instanceof BuildMessage && first.position ? `:${first.position.line}` : "";
			const problem = `${shortenHome(path)}${line} does not compile: ${firstLine(first)}`;
			const fix = `Correct the file, or leave it out: tau config set disabledExtensions '["${name}"]'`;
			return [{ area: "extensions", problem, fix }];
		}
	});
	return (await Promise.all(checked)).flat();
}

function mcpServers({ found }: Examined): Problem[] {
	return used(found, "mcp").flatMap(({ name, about: program, path, level }): Problem[] => {
		const isProgram = program !== "" && !/^\w+:\/\//.test(program);
		if (!isProgram || Bun.which(program) !== null || existsSync(resolve(found.cwd, program))) return [];
		const remove = level === "user" ? `tau mcp remove ${name}` : `tau mcp disable ${name}`;
		return [
			{
				area: "mcp",
				problem: `${name} (${shortenHome(path)}): there is no program ${program}.`,
				fix: `Install it, or: ${remove}`,
			},
		];
	});
}

function trust({ found: { cwd, trusted, sections } }: Examined): Problem[] {
	if (trusted || sections.every(({ rows }) => rows.every(({ level }) => level !== "project"))) return [];
	const why = whyUntrusted(cwd, dirs().agent);
	if (why === "the project is not trusted") return [];
	return [
		{ area: "trust", problem: `Code of this project does not run: ${why}.`, fix: "tau --trust, or /trust" },
	];
}

function packages({ args, found }: Examined): Problem[] {
	return missingPackages(args, found.cwd).map(({ source }) => ({
		area: "packages",
		problem: `${source} is in the settings, and is not installed.`,
		fix: `tau install ${source}`,
	}));
}

function storage(): Problem[] {
	const { agent, sessions, state, logs } = dirs();
	const unwritable = [agent, sessions, state, logs].flatMap((directory): Problem[] => {
		try {
			mkdirSync(directory, { recursive: true, mode: 0o700 });
			accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
			return [];
		} catch (error) {
			const problem = `${shortenHome(directory)} cannot be written: ${firstLine(error)}`;
			return [{ area: "storage", problem, fix: storageFix(directory, error) }];
		}
	});
	// One cause, and one fix.
	const home = homeOf();
	const isHome = !mayWrite(home) && !existsSync(join(home, ".tau")) && unwritable.length > 0;
	if (isHome) return [{ area: "storage", ...homeProblem(home) }];
	if (unwritable.length > 0) return unwritable;
	const { bavail, bsize } = statfsSync(sessions);
	const free = bavail * bsize;
	if (free >= limits.doctorFreeBytes) return [];
	const problem = `Only ${Math.floor(free / 2 ** 20)} MB are free where sessions are stored, in ${shortenHome(sessions)}.`;
	return [
		{ area: "storage", problem, fix: "Free some space; tau sessions gc removes what no session uses." },
	];
}

function homeProblem(home: string): Pick<Problem, "problem" | "fix"> {
	return {
		problem: `Nothing is saved: HOME, ${home}, ${existsSync(home) ? "cannot be written" : "does not exist"}.`,
		fix: "Set HOME, or TAU_CONFIG_DIR, to a directory that you can write to.",
	};
}

function storageFix(directory: string, error: unknown): string {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	if (code === "ENOSPC") return "Free some space; tau sessions gc removes what no session uses.";
	const other = "set TAU_CONFIG_DIR to a directory that you can write to";
	const owner = statSync(directory, { throwIfNoEntry: false })?.uid;
	if (owner === undefined || code === "EROFS") return `Create ${directory}, or ${other}.`;
	if (owner === process.getuid?.()) return `chmod u+rwx ${directory}`;
	return `As root, run: chown -R ${process.getuid?.()} ${directory}; or ${other}.`;
}

function mayWrite(path: string): boolean {
	try {
		accessSync(path, constants.W_OK | constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

function programs(): Problem[] {
	return missingComponents().map(({ component, install }) => ({
		area: "programs",
		problem: `${component.id} is missing (${component.purpose}).`,
		fix: install ?? "Install it with your system's package manager.",
	}));
}

function locale(): Problem[] {
	return surroundings(process.env, process.stdout.isTTY)
		.filter(({ id, fix }) => id === "characters" && fix !== undefined)
		.map(({ state, fix = "" }) => ({ area: "terminal", problem: `Characters: ${state}.`, fix }));
}

function used({ sections }: Discovered, section: string): SurveyRow[] {
	return sections
		.filter(({ id }) => id === section)
		.flatMap(({ rows }) => rows.filter(({ state }) => state === "used"));
}

function shortened(text: string): string {
	const { home } = dirs();
	return text.replaceAll(`${home}/`, "~/");
}

function firstLine(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return text.split("\n", 1)[0] ?? "";
}
