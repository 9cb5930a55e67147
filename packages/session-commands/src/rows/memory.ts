/** `/memory`: what past sessions taught, where it comes from, and how it is changed. */
import type { Memory, RowChange, ScopedChange } from "@tau/session/memory";
import { assertOutcome } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import type { CommandReply } from "@tau/wire";

import { reply, type CommandTarget, type SessionCommand } from "../command.ts";
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

/** What `data` has of actions that show something. */
export interface MemoryData {
	lines: readonly string[];
}

export const memory: SessionCommand = {
	name: "memory",
	group: "Context",
	argumentHint: "[action] […]",
	description: "Show and change what is remembered of past sessions",
	details,
	// It shows what other sessions taught.
	right: "control",
	complete: (prefix) =>
		Object.entries(actions)
			.filter(([value]) => value.startsWith(prefix))
			.map(([value, description]) => ({ value, label: value, description })),
	async run(args, target) {
		const [, typed = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec(args.trim()) ?? [];
		const { actionAliases, memoryLines } = await import("../work/memory.ts");
		const action = actionAliases[typed] ?? (typed === "" ? "view" : typed);
		if (!Object.hasOwn(actions, action))
			throw new UserError(`Unknown action "${typed}". Usage: /memory ${Object.keys(actions).join("|")}`);
		if (action === "on" || action === "off") return await turn(target, action === "on");
		if (action === "private") return await togglePrivate(target);
		if (action === "update" || action === "rebuild") return await update(target, action === "rebuild");
		const { Memory: Opened, memoryDirectories } = await import("@tau/session/memory");
		using opened = new Opened(memoryDirectories(target.cwd), { create: action === "edit" });
		for (const path of opened.damaged)
			await target.notice(`A damaged memory was moved to ${path}.`, "warning");
		if (action === "clear") return await clear(target, opened, rest);
		if (action === "edit") return await edit(target, opened);
		if (action === "review") return await review(target, opened);
		const lines = memoryLines(action, rest, opened, target.settings) ?? [];
		const data: MemoryData = { lines };
		return { ...reply(lines.join("\n")), data };
	},
};

async function turn({ settings }: CommandTarget, on: boolean): Promise<CommandReply> {
	assertOutcome(await settings.set("memories.enabled", on, "global"));
	return reply(
		on
			? "Memory is on: finished sessions of this project are read, and new sessions get what they taught."
			: "Memory is off: nothing is read or sent. What is remembered stays.",
		"success",
	);
}

async function togglePrivate({ host: { log } }: CommandTarget): Promise<CommandReply> {
	const { isPrivate, privacyType } = await import("@tau/session/memory");
	const isNow = !isPrivate(log);
	const leaf = log.getLeafId();
	log.appendCustomEntry(privacyType, { private: isNow });
	// Beside the conversation, as titles are.
	if (leaf !== null) log.branch(leaf);
	const text = isNow
		? "This session is private: it is never read for memory. /memory private changes that."
		: "This session may be read for memory when it is finished.";
	return { ...reply(text), data: { isPrivate: isNow } };
}

/** In the background: what was found is reported when it is done. */
async function update(target: CommandTarget, isRebuild: boolean): Promise<CommandReply> {
	const { memory: session } = target.host;
	if (!target.settings.get("memories.enabled") || !session)
		throw new UserError("Memory is off. Turn it on with /memory on.");
	if (isRebuild) {
		const { Memory: Opened, memoryDirectories } = await import("@tau/session/memory");
		using opened = new Opened(memoryDirectories(target.cwd), { create: true });
		opened.requestRebuild();
	}
	await target.notice(
		isRebuild ? "All sessions of the project are read again." : "Reading finished sessions…",
	);
	const done = await session.update((at, total) => target.progress(`memory ${at}/${total}`, "background"));
	target.progress(undefined);
	if (!done) return {};
	const { formatUpdate } = await import("@tau/session/behaviors");
	return reply(
		done.isReadByAnother ? "Another Tau is reading the sessions." : (done.problem ?? formatUpdate(done)),
	);
}

async function clear(target: CommandTarget, opened: Memory, rest: string): Promise<CommandReply> {
	const { clearedLine, clearRequest } = await import("../work/memory.ts");
	const request = clearRequest(rest);
	const isSure = await target.ask.confirm(
		`Forget everything about ${request.what}?`,
		request.forever ? "This cannot be undone." : "/memory undo brings it back.",
	);
	if (!isSure) return reply("Nothing was cleared.");
	opened.clear(request.scopes, request.forever);
	return reply(clearedLine(request), "success");
}

async function edit(target: CommandTarget, opened: Memory): Promise<CommandReply> {
	const { written } = await import("../work/memory.ts");
	const before = opened.editable();
	const after = await target.ask.editor("Memory: one note per line; a line without a number is a new one", {
		initial: before,
	});
	const count = after === undefined ? 0 : opened.applyEdit(before, after);
	if (count === 0) return reply("Nothing was changed.");
	written(opened, target.settings, []);
	return reply(
		`${count} ${count === 1 ? "note was" : "notes were"} changed. /memory undo takes it back.`,
		"success",
	);
}

async function review(target: CommandTarget, opened: Memory): Promise<CommandReply> {
	const { proposalLines, written } = await import("../work/memory.ts");
	const proposals = opened.changes("proposed").toReversed();
	if (proposals.length === 0) return reply("Nothing waits for your yes.");
	for (const proposal of proposals) {
		await target.notice(proposalLines(proposal).join("\n"));
		const choice = await target.ask.select("Remember this?", [
			{ value: "yes", label: "Yes" },
			...(proposal.change.rows.length > 1 ? [{ value: "some", label: "Choose one by one" }] : []),
			{ value: "no", label: "No, and never again" },
			{ value: "later", label: "Later" },
		]);
		if (choice === undefined || choice === "later") break;
		if (choice === "no") opened.reject(proposal);
		else opened.accept(proposal, choice === "some" ? await chosenRows(target, proposal) : undefined);
	}
	written(opened, target.settings, []);
	const left = opened.changes("proposed").length;
	return reply(left === 0 ? "Done." : `${left} still ${left === 1 ? "waits" : "wait"} for your yes.`);
}

async function chosenRows(
	{ ask }: CommandTarget,
	{ change }: ScopedChange,
): Promise<(row: RowChange) => boolean> {
	const { formatMemoryRow } = await import("../work/memory.ts");
	const wanted = new Set<RowChange["key"]>();
	for (const row of change.rows)
		if (await ask.confirm("Remember this?", formatMemoryRow(row))) wanted.add(row.key);
	return ({ key }) => wanted.has(key);
}
