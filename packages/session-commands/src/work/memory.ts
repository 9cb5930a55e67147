/** What `tau memory` and `/memory` have in common: the actions that need no question, and the words for all of them. */
import { UserError } from "@tau/session/run";
import type { Settings } from "@tau/config/settings";
import type { Memory, RowChange, Scope, ScopedChange } from "@tau/session/memory";
import { oneLine, tokens as inTokens } from "@tau/utils";

/** The bounds of lists, each with its reason. */
const limits = {
	/** A longer list is searched, not read. */
	facts: 200,
	changes: 20,
	labelChars: 160,
} as const;

/** Other names of omp for the same. */
export const actionAliases: Readonly<Record<string, string>> = { reset: "clear", enqueue: "rebuild" };

/** Undefined for an action that is not one of these. Throws a `UserError` if it cannot be done. */
export function memoryLines(
	action: string,
	rest: string,
	memory: Memory,
	settings: Pick<Settings, "get">,
): string[] | undefined {
	switch (action) {
		case "view":
			return viewLines(memory, settings);
		case "list":
			return listLines(memory, rest);
		case "why":
			return memory.why(rest);
		case "log":
			return logLines(memory);
		case "undo":
			return written(memory, settings, undoLines(memory));
		case "delete":
			return written(memory, settings, deleteLines(memory, rest));
		default:
			return undefined;
	}
}

/** The documents follow every change. */
export function written(memory: Memory, settings: Pick<Settings, "get">, lines: string[]): string[] {
	memory.writeDocuments(settings.get("memories.summaryInjectionTokenLimit"));
	return lines;
}

/** The words after `clear`: what is cleared, and whether that can be undone. */
export function clearRequest(rest: string): { scopes: Scope[]; forever: boolean; what: string } {
	const words = rest.split(/\s+/).filter(Boolean);
	const wrong = words.find((word) => !["global", "all", "project", "forever"].includes(word));
	if (wrong !== undefined)
		throw new UserError(`Unknown word "${wrong}". Usage: clear [global|all] [forever]`);
	const forever = words.includes("forever");
	if (words.includes("all"))
		return { scopes: ["project", "global"], forever, what: "this project and of all projects" };
	if (words.includes("global")) return { scopes: ["global"], forever, what: "all projects" };
	return { scopes: ["project"], forever, what: "this project" };
}

export function clearedLine({ forever, what }: { forever: boolean; what: string }): string {
	return forever
		? `The memory of ${what} was deleted for good. Sessions up to now are not read again, except by a rebuild.`
		: `The memory of ${what} was cleared. Its undo brings it back; sessions up to now are not read again.`;
}

/** What a proposed change would do, a line for each row. */
export function proposalLines({ change, scope }: ScopedChange): string[] {
	const prefix = scope === "global" ? " (all projects)" : "";
	return [`${label(change.label)}${prefix}`, ...change.rows.map((row) => `  ${formatMemoryRow(row)}`)];
}

export function formatMemoryRow({ table, before, after }: RowChange): string {
	const [old, now] = [textIn(before), textIn(after)];
	if (table === "skills") return after ? `skill: ${now}` : `retire the skill ${old}`;
	if (!before) return `+ ${now}`;
	if (!after) return `- ${old}`;
	if (old !== now) return `${old} → ${now}`;
	const { replacedBy } = "replacedBy" in after ? after : { replacedBy: null };
	return replacedBy === null ? `changes: ${old}` : `replaced by ${replacedBy}: ${old}`;
}

function viewLines(memory: Memory, settings: Pick<Settings, "get">): string[] {
	const limit = settings.get("memories.summaryInjectionTokenLimit");
	const { text, refs } = memory.digest(undefined, limit);
	const proposed = memory.changes("proposed").length;
	const state = settings.get("memories.enabled")
		? []
		: [
				"Memory is off (memories.enabled): nothing is read or sent. /memory on switches it on; in a shell: tau config set memories.enabled true",
			];
	const waiting =
		proposed === 0 ? [] : [`${count(proposed, "change waits", "changes wait")} for your yes: memory review.`];
	if (text === "") return [...state, "Nothing is remembered for this project yet.", ...waiting];
	return [
		...state,
		`A new session gets this, with what fits its first prompt first: ${count(refs.length, "note", "notes")}, about ${inTokens(Math.ceil(text.length / 4))} of ${inTokens(limit)} tokens.`,
		"",
		...text.split("\n"),
		...(waiting.length === 0 ? [] : ["", ...waiting]),
	];
}

function listLines(memory: Memory, query: string): string[] {
	const all = memory.facts();
	const found = query === "" ? all : memory.search(query);
	if (all.length === 0) return ["Nothing is remembered for this project yet."];
	if (found.length === 0) return ["No memory fits these words."];
	const rest = found.length - limits.facts;
	return [
		...found.slice(0, limits.facts).map((each) => memory.line(each)),
		...(rest > 0 ? [`… and ${rest} more; add words to search for.`] : []),
	];
}

function logLines(memory: Memory): string[] {
	const changes = memory.changes();
	if (changes.length === 0) return ["Nothing was changed, so there is nothing to undo."];
	const rows = changes.slice(0, limits.changes).map(({ scope, change }) => {
		const when = new Date(change.at).toISOString().slice(0, 16).replace("T", " ");
		return `${when}  ${label(change.label)}${scope === "global" ? " (all projects)" : ""}`;
	});
	const rest = changes.length - rows.length;
	return [...rows, ...(rest > 0 ? [`… and ${rest} older ones`] : [])];
}

function undoLines(memory: Memory): string[] {
	const undone = memory.undo();
	if (!undone) throw new UserError("There is nothing to undo.");
	return [`Undone: ${label(undone.change.label).replace(/\.$/, "")}.`];
}

function deleteLines(memory: Memory, rest: string): string[] {
	const [, ref = "", forever] = /^(\S*)(?:\s+(forever))?$/.exec(rest.trim()) ?? [];
	if (ref === "") throw new UserError("Usage: delete <number> [forever]. The list shows the numbers.");
	const { fact } = memory.delete(ref, forever !== undefined);
	return [
		forever === undefined
			? `Deleted: ${fact.text} No rebuild brings it back; undo does.`
			: "Deleted for good, also from the undo log. No rebuild brings it back.",
	];
}

function textIn(row: RowChange["after"]): string {
	if (!row) return "";
	return "text" in row ? row.text : `${row.name}: ${row.description}`;
}

function label(text: string): string {
	return oneLine(text, limits.labelChars);
}

function count(amount: number, one: string, more: string): string {
	return `${amount} ${amount === 1 ? one : more}`;
}
