/** What is wrong with the files of the user and of the project, each with the command or the edit that fixes it. */
import { existsSync } from "node:fs";
import { basename, extname, resolve } from "node:path";

import { discoverRules, type SurveyRow } from "@tau/extensions/resources";
import { conditionProblems } from "@tau/resources/rules";
import { whyUntrusted } from "@tau/extensions/trust";
import { loadUserModels } from "@tau/config/models";
import { describeProblem, startupLines, type Settings } from "@tau/config/settings";
import { builtinTools } from "@tau/integrations/builtin";
import { dirs, isRecord, shortenHome, stripControls } from "@tau/utils";

import type { Discovered, Problem } from "@tau/session-commands/work";
import { loadKeys, newKeys } from "@tau/interactive/keys";
import type { Args } from "../../args.ts";
import { missingPackages } from "../../launch/missing-packages.ts";

export interface Examined {
	args: Args;
	settings: Settings;
	found: Discovered;
	/** What other parts of Tau report on the way. */
	onNotice(message: string): void;
}

/** What one check found. */
export interface Outcome {
	/** What is there, in a few words. */
	about: string;
	problems: Omit<Problem, "area">[];
}

/** What is wrong with files of the user or of the project leaves everything else usable. */
type Finding = Omit<Problem, "severity">;
type Examination = (examined: Examined) => Finding[] | Promise<Finding[]>;

const examinations: readonly Examination[] = [
	settingsFiles,
	modelsFile,
	keyFile,
	extensions,
	tools,
	rules,
	mcpServers,
	trust,
	packages,
];

/** One examination that fails must not hide the others. */
export async function findProblems(examined: Examined): Promise<Problem[]> {
	const results = await Promise.allSettled(examinations.map(async (examine) => await examine(examined)));
	const findings = results.flatMap((result, at): Finding[] =>
		result.status === "fulfilled" ? result.value : [unexamined(examinations[at]?.name ?? "", result.reason)],
	);
	return findings.map((one) => ({ ...one, problem: plainLine(one.problem), severity: "warning" }));
}

export function unexamined(area: string, reason: unknown): Finding {
	return {
		area,
		problem: `This could not be examined: ${firstLine(reason)}`,
		fix: `See the log in ${shortenHome(dirs().logs)}.`,
	};
}

export const plainLine = (text: string): string => stripControls(text, { newline: false, tab: false });

function settingsFiles({ settings }: Examined): Finding[] {
	const fix = "Correct that line. tau config list shows every setting, tau config doc <name> its values.";
	return startupLines(settings.problems).map((problem) => ({
		area: "settings",
		problem: shortened(problem),
		fix,
	}));
}

async function modelsFile({ settings }: Examined): Promise<Finding[]> {
	const { problems } = await loadUserModels(process.env, settings);
	return problems.map((problem) => ({
		area: "models",
		problem: shortened(describeProblem(problem)),
		fix: "Correct that line. tau --list-models shows what can be used.",
	}));
}

async function keyFile(): Promise<Finding[]> {
	const { problems } = await loadKeys(newKeys(), dirs().agent);
	return problems.map((problem) => ({
		area: "keys",
		problem: shortened(problem),
		fix: "Correct it in keybindings.yml. /hotkeys lists the keys that apply.",
	}));
}

/** They are compiled and not run: an extension may do anything. */
async function extensions({ found }: Examined): Promise<Finding[]> {
	const checked = used(found, "extensions").map(async ({ name, path }): Promise<Finding[]> => {
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

/** As a session reads and compiles them; conditions count only if they are switched on. */
async function rules({ settings, found: { cwd, trusted } }: Examined): Promise<Finding[]> {
	const { rules: loaded, notices } = await discoverRules({
		cwd,
		env: process.env,
		disabled: settings.get("discovery.disabled"),
		isTrusted: trusted,
	});
	const watched = settings.get("ttsr.enabled")
		? await conditionProblems(loaded.filter(isConditional), cwd)
		: [];
	return [...notices, ...watched].map((problem) => ({
		area: "rules",
		problem: shortened(problem),
		fix: "Correct the front matter of that file (docs/rules.md), or remove it.",
	}));
}

const isConditional = ({
	condition,
	astCondition,
}: {
	condition?: unknown;
	astCondition?: unknown;
}): boolean => (condition ?? astCondition) !== undefined;

/**
 * A session refuses a tool whose name is taken. The modules are not run here: their name is the first one that they
 * write down, as in every tool that returns `{ name: …, execute }`.
 */
async function tools({ found }: Examined): Promise<Finding[]> {
	const owners = new Map<string, string>(builtinTools.map(({ name }) => [name, "a built-in tool"]));
	const findings: Finding[] = [];
	for (const { path } of used(found, "tools")) {
		const name = await toolName(path);
		const owner = name === undefined ? undefined : owners.get(name);
		if (name !== undefined && owner === undefined) owners.set(name, shortenHome(path));
		if (owner === undefined) continue;
		const problem = `${shortenHome(path)} defines the tool ${name}, and ${owner} has that name: it is not used.`;
		findings.push({ area: "tools", problem, fix: "Give the tool another name, or remove the file." });
	}
	return findings;
}

async function toolName(path: string): Promise<string | undefined> {
	const extension = extname(path);
	if (/^\.[mc]?[jt]sx?$/.test(extension)) {
		const text = await Bun.file(path).text();
		return /\bname:\s*["'`]([\w-]+)["'`]/.exec(text)?.[1];
	}
	const stem = path.slice(0, path.length - extension.length);
	const described: unknown = await Bun.file(`${stem}.json`)
		.json()
		// Most programs describe themselves instead.
		.catch(() => undefined);
	return isRecord(described) && typeof described.name === "string" ? described.name : basename(stem);
}

function mcpServers({ found }: Examined): Finding[] {
	return used(found, "mcp").flatMap(({ name, about: program, path, level }): Finding[] => {
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

function trust({ found: { cwd, trusted, sections } }: Examined): Finding[] {
	if (trusted || sections.every(({ rows }) => rows.every(({ level }) => level !== "project"))) return [];
	const why = whyUntrusted(cwd, dirs().agent);
	if (why === "the project is not trusted") return [];
	return [
		{ area: "trust", problem: `Code of this project does not run: ${why}.`, fix: "tau --trust, or /trust" },
	];
}

function packages({ args, found }: Examined): Finding[] {
	return missingPackages(args, found.cwd).map(({ source }) => ({
		area: "packages",
		problem: `${source} is in the settings, and is not installed.`,
		fix: `tau install ${source}`,
	}));
}

export function used({ sections }: Discovered, section: string): SurveyRow[] {
	return sections
		.filter(({ id }) => id === section)
		.flatMap(({ rows }) => rows.filter(({ state }) => state === "used"));
}

function shortened(text: string): string {
	const { home } = dirs();
	return text.replaceAll(`${home}/`, "~/");
}

export function firstLine(error: unknown): string {
	const text = error instanceof Error ? error.message : String(error);
	return text.split("\n", 1)[0] ?? "";
}
