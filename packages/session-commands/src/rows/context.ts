/** `/compact`, `/clear`, `/context` and `/handoff`: what the model has of the conversation. */
import { causeText, contextText, shareCached, type ContextReport } from "@tau/session/context";
import { UserError } from "@tau/session/run";
import type { CommandReply } from "@tau/wire";

import { plain, ReportedError, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { moveTo } from "../work/move.ts";

export const compact: SessionCommand = {
	name: "compact",
	group: "Context",
	argumentHint: "[instructions|edit|undo]",
	words: ["edit", "undo"],
	description: "Compact the conversation to free up context",
	details:
		"Replaces the older part of the conversation by a summary. Instructions say what it should keep (`/compact keep the API decisions`); `edit` opens what the model has, `undo` takes the last compaction or edit back.",
	right: "control",
	async run(args, target) {
		const { host } = target;
		if (args === "edit") return await editSummary(target);
		if (args === "undo") return await undo(target);
		if (host.session.isCompacting) throw new UserError("Compaction is already running.");
		try {
			return { data: { ...(await host.compact(args === "" ? undefined : args)) } };
		} catch (error) {
			// The session emits its start and its end, with the reason.
			throw new ReportedError(error instanceof Error ? error.message : String(error));
		}
	},
};

/** A new entry with the text of the user; /tree goes back before it. */
async function editSummary({ host, ask }: CommandTarget): Promise<CommandReply> {
	const before = host.context.summary()?.text;
	if (before === undefined) throw new UserError("There is no summary to edit yet.");
	const after = await ask.editor("What the model has of the conversation", { initial: before });
	if (after === undefined || after.trim() === before) return {};
	await host.context.editSummary(after);
	return reply("The summary was changed. /compact undo goes back to the old one.");
}

async function undo({ host }: CommandTarget): Promise<CommandReply> {
	await host.context.undoSummary();
	const isCompacted = host.context.summary() !== undefined;
	return reply(
		isCompacted
			? "The model has the summary that it had before."
			: "The compaction was undone: the model has all messages again.",
	);
}

export const clear: SessionCommand = {
	name: "clear",
	group: "Context",
	description: "Clear the context (history stays in the session file)",
	details:
		"The model no longer sees the conversation so far. The session continues, and /tree still shows the earlier messages. /new starts another session instead.",
	right: "control",
	async run(_, target) {
		const { log } = target.host;
		const change = (): void => void log.append({ type: "reset_boundary" });
		if (!(await moveTo({ to: "branch", change }, target))) return {};
		return reply("Context cleared. Earlier messages are still in /tree.");
	},
};

const contextVerbs = ["print", "show", "drop", "restore"] as const;

export const context: SessionCommand = {
	name: "context",
	group: "Context",
	argumentHint: "[print | show|drop|restore <item>]",
	words: contextVerbs,
	description: "Show what fills the context, and drop items from it",
	details:
		"Lists what takes room in the model's context. Enter shows an item, Ctrl+D drops it or brings it back, Tab shows how much came from the provider's cache. `print` writes the list into the transcript.",
	right: "control",
	shows: ["", "print", "show"],
	complete: (prefix) =>
		"print".startsWith(prefix) ? [{ value: "print", label: "print", description: "Print the list" }] : [],
	run(args, { host: { context: about } }) {
		const [, verb = "", item = ""] = /^(\S*)\s*([^]*)$/.exec(args.trim()) ?? [];
		if (verb === "" || verb === "print") return contextReply(about.report());
		if (!contextVerbs.some((word) => word === verb) || item === "")
			throw new UserError("Usage: /context [print | show|drop|restore <item>]");
		const id = itemNamed(about.report(), item, verb);
		if (verb === "show") return reply(about.inspect(id));
		const changed = verb === "drop" ? about.drop([id]) : about.restore([id]);
		return changed.then(() => contextReply(about.report()));
	},
};

/** By its id, or by words of its name that no other item has. */
function itemNamed({ sources }: ContextData, wanted: string, verb: string): string {
	const items = sources.flatMap((source) => source.items);
	if (items.some(({ id }) => id === wanted)) return wanted;
	const isFit = ({ isDropped, canDrop }: (typeof items)[number]): boolean =>
		verb === "show" || (canDrop && isDropped === (verb === "restore"));
	const named = items.filter((item) => item.name.includes(wanted) && isFit(item));
	const [first] = named;
	if (first && named.length === 1) return first.id;
	throw new UserError(
		first
			? `${named.length} items have "${plain(wanted)}" in their names. Use more of it, or the id.`
			: `No item of the context is "${plain(wanted)}".`,
	);
}

/** What fills the context. */
export type ContextData = ContextReport;
export { causeText, shareCached };

function contextReply(report: ContextData): CommandReply {
	return { ...reply(contextText(report)), data: report };
}

export const handoff: SessionCommand = {
	name: "handoff",
	group: "Context",
	argumentHint: "[instructions]",
	description: "Start a new session with a summary of this one",
	details:
		"The model writes what the next session needs to know; your messages are added word for word. Instructions say what the document should focus on. This session stays in /resume.",
	right: "control",
	async run(args, target) {
		const { host } = target;
		if (host.work.jobs.running() > 0)
			throw new UserError("Background jobs are running and would be stopped. End them first (/jobs).");
		target.notice("Writing the handoff. Esc cancels.");
		const outcome = await host.handoff(args === "" ? undefined : args);
		const isMoved = outcome.kind === "moved";
		return {
			...(isMoved
				? reply("Continuing in a new session with the handoff.")
				: reply("Cancelled by an extension.", "warning")),
			data: { cancelled: !isMoved },
		};
	},
};
