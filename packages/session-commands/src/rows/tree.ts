/** `/tree` and `/rewind`: go back to another point of the session, with the conversation, the files, or both. */
import { assertOutcome, type RewindPoint } from "@tau/session/host";
import type { RestorePlan } from "@tau/log/journal";
import { UserError } from "@tau/session/run";
import type { CommandReply } from "@tau/wire";

import { plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { limits } from "../limits.ts";
import { isBookkeeping, lastWord } from "../work/navigate.ts";
import { restoreChoice, restoreChosen, type RestoreChoice } from "../work/restore.ts";
import { counted } from "../work/restore-preview.ts";
import { stepTo } from "../work/step.ts";
import { treeEntry, type Calls } from "../work/tree-entry.ts";

export const tree: SessionCommand = {
	name: "tree",
	group: "Session",
	argumentHint: "[entry | label <entry> [text]]",
	words: ["label"],
	description: "Browse the session tree and continue from any point",
	details:
		"Shows every branch of the session. Enter continues from the selected entry; what followed it stays as another branch. The id of an entry goes there at once.",
	right: "control",
	shows: [""],
	async run(args, target) {
		const { log } = target.host;
		if (args === "") return treeList(target);
		const [, labeled = "", text = ""] = /^label\s+(\S+)\s*([^]*)$/.exec(args) ?? [];
		const id = labeled === "" ? args : labeled;
		if (!log.getEntry(id)) throw new UserError(`Entry ${id} not found in this session.`);
		if (labeled === "") return settled(await stepTo(target, id, { leafId: lastWord(log) }));
		assertOutcome(await target.host.apply({ type: "label", entryId: id, label: text }));
		return reply(text === "" ? "Label removed." : `Labeled "${text}".`, "success");
	},
};

/** An entry as replies of /tree list it. */
interface TreeListEntry {
	id: string;
	parentId: string | null;
	type: string;
	/** Who or what: `user`, `[bash]`. */
	head: string;
	text: string;
	label?: string;
}

/** The newest entries of all branches, without what only notes something. */
function treeList({ host: { log } }: CommandTarget): CommandReply {
	const calls: Calls = new Map();
	const heads = log.getHeads().filter(({ type }) => !isBookkeeping(type));
	const entries = heads.slice(-limits.treeEntries).flatMap(({ id }): TreeListEntry[] => {
		const entry = log.getEntry(id);
		if (!entry) return [];
		const { parentId, type, head, text } = treeEntry(entry, calls);
		const label = log.getLabel(id);
		return [{ id, parentId, type, head, text, ...(label === undefined ? {} : { label }) }];
	});
	const leafId = lastWord(log);
	const lines = entries.slice(-limits.listed).map(({ id, head, text, label }) => {
		const mark = id === leafId ? "* " : "  ";
		return `${mark}${id}  ${plain(`${head} ${text}`)}${label === undefined ? "" : ` [${plain(label)}]`}`;
	});
	return {
		...reply(lines.length === 0 ? "No messages yet." : lines.join("\n")),
		data: { entries, leafId },
	};
}

const scopes = ["conversation", "files", "both"] as const;

export const rewind: SessionCommand = {
	name: "rewind",
	group: "Session",
	argumentHint: "[redo | message [conversation|files|both]]",
	words: ["redo"],
	description: "Go back to one of your messages: conversation, files, or both",
	details:
		"Lists your messages with the files that changed since. /rewind redo brings back what the last rewind replaced.",
	right: "control",
	shows: [""],
	async run(args, target) {
		const { host } = target;
		if (args === "redo") return await redo(target);
		const points = await host.rewind.points();
		if (args === "") return pointList(points, await canRedo(target));
		const [id = "", word, ...more] = args.split(/\s+/);
		const scope = scopes.find((each) => each === word);
		if (!points.some(({ entryId }) => entryId === id) || (word !== undefined && !scope) || more.length > 0)
			throw new UserError(`Unknown argument "${args}". Use /rewind or /rewind redo.`);
		const plan = await host.rewind.preview(id);
		const choice = scope ? chosen(scope, plan) : await restoreChoice(target, plan, "rewind");
		return choice ? settled(await goBack(target, id, choice)) : backReply;
	},
};

/** Files with changes of the user stay as they are. */
function chosen(scope: RestoreChoice["scope"], plan: RestorePlan): RestoreChoice {
	return { scope, plan, overwrite: () => false };
}

/** Goes back to before a message with what was chosen. */
async function goBack(
	target: CommandTarget,
	entryId: string,
	choice: RestoreChoice,
): Promise<CommandReply | "back"> {
	if (choice.scope === "files") return await restoreChosen(target, choice, "stays");
	return await stepTo(target, entryId, { leafId: target.host.log.getLeafId(), files: choice });
}

async function redo(target: CommandTarget): Promise<CommandReply> {
	const plan = await target.host.rewind.previewRedo();
	if (!plan || plan.files.length === 0) return reply("Nothing to redo.", "warning");
	const choice = await restoreChoice(target, plan, "redo");
	return choice ? await restoreChosen(target, choice, "stays") : {};
}

async function canRedo({ host }: CommandTarget): Promise<boolean> {
	const last = await host.rewind.previewRedo();
	return last !== undefined && last.files.length > 0;
}

export interface RewindData {
	/** The newest first. */
	points: readonly RewindPoint[];
	/** Whether the last restore can be taken back. */
	canRedo: boolean;
}

function pointList(points: readonly RewindPoint[], isRedoable: boolean): CommandReply {
	if (points.length === 0) return reply("No messages yet.", "warning");
	const newest = points.toReversed();
	const lines = newest.map(
		({ entryId, text, files }) => `${entryId}  ${plain(text)}${files === 0 ? "" : ` (${counted(files)})`}`,
	);
	const data: RewindData = { points: newest, canRedo: isRedoable };
	return { ...reply(lines.join("\n")), data };
}

/** The user does not want to go there after all. */
export interface BackData {
	isBack: true;
}

const backReply: CommandReply = { data: { isBack: true } satisfies BackData };

function settled(outcome: CommandReply | "back"): CommandReply {
	return outcome === "back" ? backReply : outcome;
}
