/** The rows beside the conversation: all branches as a tree, filtered by kind and by a search through everything. */
import { isRecord } from "@tau/utils/portable";
import type { Entry } from "@tau/wire";
import { userTextOf } from "@tau/wire/remote";

export const filters = {
	talk: "Conversation",
	prompts: "Prompts",
	tools: "Tools",
	failed: "Failed",
	all: "Everything",
} as const;
export type Filter = keyof typeof filters;

export interface OutlineRow {
	/** Of the entry. */
	readonly id: string;
	/** The call that it is, of those that an entry has. */
	readonly callId?: string;
	readonly kind: "prompt" | "answer" | "call" | "event";
	readonly text: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	readonly depth: number;
	readonly isFailed: boolean;
	/** In lower case: everything that a search finds it by. */
	readonly words: string;
}

const lineChars = 140;

/** `branch` has the ids of the branch that is shown: it is straight, what leaves it comes first and one step deeper. */
export function outlineOf(entries: readonly Entry[], branch: ReadonlySet<string>): OutlineRow[] {
	const children = new Map<string | null, Entry[]>();
	for (const entry of entries) {
		const list = children.get(entry.parentId);
		if (list) list.push(entry);
		else children.set(entry.parentId, [entry]);
	}
	const results = resultsIn(entries);
	const rows: OutlineRow[] = [];
	// By a list of its own: a conversation is deeper than the stack.
	const open = (children.get(null) ?? []).toReversed().map((entry) => ({ entry, depth: 0 }));
	for (let next = open.pop(); next; next = open.pop()) {
		const { entry, depth } = next;
		rows.push(...rowsOf(entry, depth, results));
		const below = children.get(entry.id) ?? [];
		const main = below.find(({ id }) => branch.has(id)) ?? below.at(-1);
		if (main) open.push({ entry: main, depth });
		for (const child of below.toReversed()) if (child !== main) open.push({ entry: child, depth: depth + 1 });
	}
	return rows;
}

export function shownRows(
	rows: readonly OutlineRow[],
	filter: Filter,
	search: string,
): readonly OutlineRow[] {
	const words = search.toLowerCase().split(/\s+/).filter(Boolean);
	const isWanted: Record<Filter, (row: OutlineRow) => boolean> = {
		talk: ({ kind }) => kind === "prompt" || kind === "answer",
		prompts: ({ kind }) => kind === "prompt",
		tools: ({ kind }) => kind === "call",
		failed: ({ isFailed }) => isFailed,
		all: () => true,
	};
	// A search looks through everything, unless the reader has chosen a kind.
	const wanted = words.length > 0 && filter === "talk" ? isWanted.all : isWanted[filter];
	return rows.filter((row) => wanted(row) && words.every((word) => row.words.includes(word)));
}

type Results = ReadonlyMap<string, { text: string; isFailed: boolean }>;

function resultsIn(entries: readonly Entry[]): Results {
	const results = new Map<string, { text: string; isFailed: boolean }>();
	for (const { message } of entries) {
		if (isRecord(message) && message.role === "toolResult" && typeof message.toolCallId === "string")
			results.set(message.toolCallId, { text: textIn(message.content), isFailed: message.isError === true });
	}
	return results;
}

function rowsOf(entry: Entry, depth: number, results: Results): OutlineRow[] {
	const { id, message } = entry;
	const head = { id, depth, at: Date.parse(entry.timestamp) || 0 };
	const row = (kind: OutlineRow["kind"], text: string, more = "", isFailed = false): OutlineRow => ({
		...head,
		kind,
		text: line(text),
		isFailed,
		words: `${text}\n${more}`.toLowerCase(),
	});
	if (!isRecord(message)) return eventRow(entry, row);
	// The page checks each field where it draws it.
	if (message.role === "user") return [row("prompt", userTextOf(message as never))];
	if (message.role === "bashExecution" || message.role === "pythonExecution")
		return [
			row(
				"call",
				`$ ${String(message.command ?? message.code)}`,
				String(message.output),
				message.exitCode !== 0,
			),
		];
	if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
	const said = textIn(message.content);
	const rows = said.trim() === "" ? [] : [row("answer", said)];
	const isBroken = message.stopReason === "error";
	if (isBroken) rows.push(row("event", String(message.errorMessage ?? "The request failed."), "", true));
	for (const part of message.content) {
		if (!isRecord(part) || part.type !== "toolCall") continue;
		const result = results.get(String(part.id));
		const args = isRecord(part.arguments) ? part.arguments : {};
		const subject = Object.values(args).find((value) => typeof value === "string") ?? "";
		const more = `${JSON.stringify(args)}\n${result?.text ?? ""}`;
		const call = row("call", `${String(part.name)} ${String(subject)}`, more, result?.isFailed);
		rows.push({ ...call, callId: String(part.id) });
	}
	return rows;
}

const events: Readonly<Record<string, string>> = {
	compaction: "Compacted",
	branch_summary: "Summary of another branch",
	model_change: "Model",
	reset_boundary: "Context cleared",
};

function eventRow(
	entry: Entry,
	row: (kind: OutlineRow["kind"], text: string, more?: string) => OutlineRow,
): OutlineRow[] {
	const name = events[entry.type];
	if (name === undefined) return [];
	const what = entry.type === "model_change" ? ` ${String(entry.provider)}/${String(entry.modelId)}` : "";
	return [row("event", name + what, typeof entry.summary === "string" ? entry.summary : "")];
}

function textIn(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	return content
		.map((part: unknown) => (isRecord(part) && typeof part.text === "string" ? part.text : ""))
		.filter(Boolean)
		.join("\n");
}

/** The first paragraph: tables and code behind it would be a riddle in one line. */
function line(text: string): string {
	const [first = ""] = text.trim().split(/\n[ \t]*\n/, 1);
	return first
		.replaceAll(/^#{1,6} /gm, "")
		.replaceAll(/[*`#]{1,3}(?=\S)|(?<=\S)[*`]{1,3}/g, "")
		.replaceAll(/\s+/g, " ")
		.trim()
		.slice(0, lineChars);
}
