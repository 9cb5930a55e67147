/** What may follow on a command line: from the tables that also parse it. */
import type { Command } from "../../command.ts";
import { commands } from "../../command-table.ts";
import { sections, type Flag } from "../../flags.ts";

export interface Candidate {
	word: string;
	about?: string | undefined;
}

/** Words that only a running Tau knows. */
export type Source =
	| "components"
	| "machines"
	| "models"
	| "packages"
	| "providers"
	| "running"
	| "sessions"
	| "settings"
	| "themes"
	/** Values of the setting before it. */
	| "values";

export interface Completion {
	candidates: readonly Candidate[];
	/** The shell completes names of files as well. */
	files: boolean;
	/** More candidates, which have to be read. */
	source?: Source;
	/** What stands before each of them: `--model=`. */
	prefix?: string;
}

/** The sources of values, by the placeholder that the help shows. */
const sources: Readonly<Record<string, Source>> = {
	model: "models",
	models: "models",
	patterns: "models",
	provider: "providers",
	id: "sessions",
	"running-id": "running",
	setting: "settings",
	value: "values",
	theme: "themes",
	machine: "machines",
	"component…": "components",
	package: "packages",
	"package…": "packages",
};
const filePlaceholders = new Set(["dir", "file", "path", "schema", "file…", "path…"]);

const general: readonly Flag[] = sections.flatMap(({ flags }) => [...flags]);
const nothing: Completion = { candidates: [], files: false };

/** `words` are those after `tau`; the last is the one that is being typed. */
export function complete(words: readonly string[]): Completion {
	const typed = words.at(-1) ?? "";
	const before = words.slice(0, -1);
	const command = commands.find(({ name }) => name === before[0]);
	const flags = flagsOf(command);
	const assigned = /^(--[\w-]+)=/.exec(typed);
	const flag = flagNamed(flags, assigned?.[1] ?? before.at(-1));
	if (flag?.value !== undefined && (assigned || flag.optional !== true || !typed.startsWith("-")))
		return values(flag.value, flag.choices, assigned ? `${assigned[1]}=` : "");
	if (typed.startsWith("-")) return { candidates: flagCandidates(flags), files: false };
	if (command) return operands(command, flags, before.slice(1));
	if (typed.startsWith("@")) return { candidates: [], files: true };
	// A prompt comes after the first word that is no command: files are what it may mention.
	const isFirst = before.every((word) => word.startsWith("-"));
	const names = commands.map(({ name, help }) => ({ word: name, about: help }));
	return { candidates: isFirst ? names : [], files: true };
}

function flagsOf(command: Command | undefined): readonly Flag[] {
	const own = command?.flags ?? [];
	const taken = command?.takes ? general.filter(({ name }) => isTaken(command, name)) : general;
	return [...own, ...taken.filter(({ name }) => own.every((flag) => flag.name !== name))];
}

function isTaken({ takes = [] }: Command, name: string): boolean {
	return name === "help" || takes.some((taken) => taken === name);
}

function flagNamed(flags: readonly Flag[], word: string | undefined): Flag | undefined {
	return flags.find(
		({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`),
	);
}

function flagCandidates(flags: readonly Flag[]): Candidate[] {
	return flags.flatMap(({ name, means, help }) =>
		means === undefined ? [{ word: `--${name}`, about: help }] : [],
	);
}

function values(placeholder: string, choices: readonly string[] | undefined, prefix: string): Completion {
	if (choices) return { candidates: choices.map((choice) => ({ word: prefix + choice })), files: false };
	const source = sources[placeholder];
	return {
		candidates: [],
		files: filePlaceholders.has(placeholder),
		...(source ? { source, prefix } : {}),
	};
}

function operands({ operand }: Command, flags: readonly Flag[], before: readonly string[]): Completion {
	if (!operand) return nothing;
	const given = before.filter((word, at) => {
		const flag = flagNamed(flags, before[at - 1]);
		return !word.startsWith("-") && (flag?.value === undefined || flag.optional === true);
	});
	if (operand.follows) return followers(operand.follows, given);
	if (operand.words && !operand.choices) return { ...values(bare(operand.name), undefined, ""), files: true };
	return given.length > 0 ? nothing : values(bare(operand.name), operand.choices, "");
}

/** The actions of a command, which may be of several words (`config set`) and name alternatives (`enable|disable`). */
function followers(
	follows: Readonly<Record<string, readonly string[]>>,
	given: readonly string[],
): Completion {
	const actions = new Set<string>();
	for (const [action, names] of Object.entries(follows)) {
		const steps = action.split(" ").map((step) => step.split("|"));
		if (!steps.every((step, at) => at >= given.length || step.includes(given[at] ?? ""))) continue;
		if (given.length < steps.length) for (const name of steps[given.length] ?? []) actions.add(name);
		else {
			const next = names[given.length - steps.length] ?? names.findLast((name) => name.endsWith("…"));
			return next === undefined ? nothing : values(next.replace(/^\?/, ""), undefined, "");
		}
	}
	return { candidates: [...actions].map((word) => ({ word })), files: false };
}

/** `<package…>` and `[package…]` without their brackets. */
function bare(name: string): string {
	return name.replace(/^[<[]|[>\]]$/g, "");
}
