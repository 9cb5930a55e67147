/** `/memory`: what past sessions taught, where it comes from, and how it is changed. */
import type { Memory, RowChange, ScopedChange } from "@tau/session/memory";
import { wrapTextWithAnsi } from "@tau/tui";

import type { InteractiveHost } from "../host.ts";
import { report } from "../selectors/kit/report.ts";
import { plain } from "../selectors/kit/row.ts";
import type { SlashCommand } from "./command.ts";
import details from "./memory.md" with { type: "text" };

const actions: Readonly<Record<string, string>> = {
	view: "what a new session gets",
	list: "all notes, or those that fit the words",
	why: "where a note comes from",
	delete: "remove a note so that it does not come back",
	undo: "take the last change back",
	log: "the changes",
	edit: "change the notes in an editor",
	review: "what waits for your yes",
	update: "read finished sessions now",
	rebuild: "read all sessions again",
	clear: "forget everything",
	private: "keep this session out of memory, or not",
	on: "remember what sessions teach",
	off: "read and send nothing",
};

export const memory: SlashCommand = {
	name: "memory",
	group: "Context",
	argumentHint: "[action] […]",
	description: "Show and change what is remembered of past sessions",
	details,
	complete: (prefix) =>
		Object.entries(actions)
			.filter(([value]) => value.startsWith(prefix))
			.map(([value, description]) => ({ value, label: value, description })),
	async run(args, host) {
		const [, typed = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
		const { actionAliases, memoryLines } = await import("../../../session-commands/work/memory.ts");
		const action = actionAliases[typed] ?? (typed === "" ? "view" : typed);
		if (!Object.hasOwn(actions, action))
			throw new Error(`Unknown action "${typed}". Usage: /memory ${Object.keys(actions).join("|")}`);
		if (action === "on" || action === "off") return await turn(host, action === "on");
		if (action === "private") return await togglePrivate(host);
		if (action === "update" || action === "rebuild") return await update(host, action === "rebuild");
		const { Memory: Opened, memoryDirectories } = await import("@tau/session/memory");
		using opened = new Opened(memoryDirectories(host.cwd), { create: action === "edit" });
		for (const path of opened.damaged) host.notify(`A damaged memory was moved to ${path}.`, "warning");
		if (action === "clear") return await clear(host, opened, rest);
		if (action === "edit") return await edit(host, opened);
		if (action === "review") return await review(host, opened);
		show(host, memoryLines(action, rest, opened, host.settings) ?? []);
	},
};

/** The kind, the date and the session behind a note. */
const sourceAtEnd = / \(\w+, \d{4}-\d\d-\d\d, .*\)$/;

/** Long lines are wrapped below their text, and keep their indentation. */
function show(host: InteractiveHost, lines: readonly string[]): void {
	host.print(
		report(host.theme, (width, theme) =>
			lines.flatMap((line) => {
				const [head = ""] = /^\s*(?:- )?(?:\[g?\d+\] )?/.exec(line) ?? [];
				const margin = Math.min(head.length, Math.floor(width / 3));
				const text = plain(line.slice(head.length)).replace(sourceAtEnd, (source) => theme.fg("dim", source));
				const rows = wrapTextWithAnsi(text, Math.max(1, width - margin));
				return rows.map((row, at) => (at === 0 ? head : " ".repeat(margin)) + row);
			}),
		),
	);
}

async function turn(host: InteractiveHost, on: boolean): Promise<void> {
	const outcome = await host.settings.set("memories.enabled", on, "global");
	if (!outcome.ok) throw new Error(outcome.reason);
	const effect = on
		? "Memory is on: finished sessions of this project are read, and new sessions get what they taught."
		: "Memory is off: nothing is read or sent. What is remembered stays.";
	host.notify(effect, "success");
}

async function togglePrivate(host: InteractiveHost): Promise<void> {
	const { log } = host;
	const { isPrivate, privacyType } = await import("@tau/session/memory");
	const isNow = !isPrivate(log);
	const leaf = log.getLeafId();
	log.appendCustomEntry(privacyType, { private: isNow });
	// Beside the conversation, as titles are.
	if (leaf !== null) log.branch(leaf);
	host.notify(
		isNow
			? "This session is private: it is never read for memory. /memory private changes that."
			: "This session may be read for memory when it is finished.",
	);
}

/** In the background: what was found is reported when it is done. */
async function update(host: InteractiveHost, isRebuild: boolean): Promise<void> {
	const { memory: session } = host.sessionHost;
	if (!host.settings.get("memories.enabled") || !session)
		throw new Error("Memory is off. Turn it on with /memory on.");
	if (isRebuild) {
		const { Memory: Opened, memoryDirectories } = await import("@tau/session/memory");
		using opened = new Opened(memoryDirectories(host.cwd), { create: true });
		opened.requestRebuild();
	}
	host.notify(isRebuild ? "All sessions of the project are read again." : "Reading finished sessions…");
	const done = await session.update((at, total) => host.status("memory", `memory ${at}/${total}`));
	host.status("memory", undefined);
	if (!done) return;
	const { updateInWords } = await import("@tau/session/behaviors");
	host.notify(
		done.isElsewhere ? "Another Tau is reading the sessions." : (done.problem ?? updateInWords(done)),
	);
}

async function clear(host: InteractiveHost, opened: Memory, rest: string): Promise<void> {
	const { clearedLine, clearRequest } = await import("../../../session-commands/work/memory.ts");
	const request = clearRequest(rest);
	const isSure = await host.ask.confirm(
		`Forget everything about ${request.what}?`,
		request.forever ? "This cannot be undone." : "/memory undo brings it back.",
	);
	if (!isSure) return host.notify("Nothing was cleared.");
	opened.clear(request.scopes, request.forever);
	host.notify(clearedLine(request), "success");
}

async function edit(host: InteractiveHost, opened: Memory): Promise<void> {
	const { written } = await import("../../../session-commands/work/memory.ts");
	const before = opened.editable();
	const after = await host.ask.editor("Memory: one note per line; a line without a number is a new one", {
		initial: before,
	});
	const count = after === undefined ? 0 : opened.applyEdit(before, after);
	if (count === 0) return host.notify("Nothing was changed.");
	written(opened, host.settings, []);
	host.notify(
		`${count} ${count === 1 ? "note was" : "notes were"} changed. /memory undo takes it back.`,
		"success",
	);
}

async function review(host: InteractiveHost, opened: Memory): Promise<void> {
	const { proposalLines, written } = await import("../../../session-commands/work/memory.ts");
	const proposals = opened.changes("proposed").toReversed();
	if (proposals.length === 0) return host.notify("Nothing waits for your yes.");
	for (const proposal of proposals) {
		show(host, proposalLines(proposal));
		const choice = await host.ask.select("Remember this?", [
			{ value: "yes", label: "Yes" },
			...(proposal.change.rows.length > 1 ? [{ value: "some", label: "Choose one by one" }] : []),
			{ value: "no", label: "No, and never again" },
			{ value: "later", label: "Later" },
		]);
		if (choice === undefined || choice === "later") break;
		if (choice === "no") opened.reject(proposal);
		else opened.accept(proposal, choice === "some" ? await chosenRows(host, proposal) : undefined);
	}
	written(opened, host.settings, []);
	const left = opened.changes("proposed").length;
	host.notify(left === 0 ? "Done." : `${left} still ${left === 1 ? "waits" : "wait"} for your yes.`);
}

async function chosenRows(
	host: InteractiveHost,
	{ change }: ScopedChange,
): Promise<(row: RowChange) => boolean> {
	const { rowInWords } = await import("../../../session-commands/work/memory.ts");
	const wanted = new Set<RowChange["key"]>();
	for (const row of change.rows)
		if (await host.ask.confirm("Remember this?", rowInWords(row))) wanted.add(row.key);
	return ({ key }) => wanted.has(key);
}
