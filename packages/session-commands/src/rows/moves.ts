/** `/new`, `/clone`, `/fork`, `/branch`, `/resume` and `/import`: continue in another session. */
import { existsSync, statSync } from "node:fs";

import { SessionManager, type SessionInfo } from "@tau/log";
import type { ForkMessage } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { shortenHome } from "@tau/utils";
import type { CommandReply } from "@tau/wire";

import { pathArgument, plain, reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { limits } from "../limits.ts";
import { moveTo } from "../work/move.ts";
import { listStored } from "../work/stored-sessions.ts";

export const newSession: SessionCommand = {
	name: "new",
	group: "Session",
	description: "Start a new session",
	right: "control",
	run: async (_, target) => ((await moveTo({ to: "new" }, target)) ? reply("Started a new session.") : {}),
};

export const clone: SessionCommand = {
	name: "clone",
	group: "Session",
	description: "Continue in a copy of this branch",
	right: "control",
	async run(_, target) {
		if (target.host.log.getLeafId() === null) return reply("Nothing to clone yet.", "warning");
		if (!(await moveTo({ to: "fork", position: "at" }, target))) return {};
		return reply("Cloned. The original session is unchanged.", "success");
	},
};

export const fork: SessionCommand = {
	name: "fork",
	group: "Session",
	argumentHint: "[all | message]",
	words: ["all"],
	description: "Fork this session (whole, or from a message)",
	details:
		"`all` copies the whole session. Otherwise name one of your messages by its entry id; it can be changed.",
	right: "control",
	shows: [""],
	complete: (prefix, { host }) => messageItems(prefix, host.forkMessages()),
	run(args, target) {
		const { host } = target;
		if (host.log.getLeafId() === null) return reply("Nothing to fork yet.", "warning");
		if (args === "") return messageList(host.forkMessages());
		return args === "all" ? forkAll(target) : forkBefore(args, target);
	},
};

export const branch: SessionCommand = {
	name: "branch",
	group: "Session",
	argumentHint: "[message]",
	description: "Branch from an earlier message",
	right: "control",
	shows: [""],
	complete: (prefix, { host }) => messageItems(prefix, host.forkMessages()),
	run(args, target) {
		const messages = target.host.forkMessages();
		if (messages.length === 0) return reply("No messages yet.", "warning");
		return args === "" ? messageList(messages) : forkBefore(args, target);
	},
};

async function forkAll(target: CommandTarget): Promise<CommandReply> {
	if (!(await moveTo({ to: "copy" }, target))) return {};
	return reply("Forked. The original session is unchanged.", "success");
}

/** The message at that entry can be written differently. */
async function forkBefore(entryId: string, target: CommandTarget): Promise<CommandReply> {
	const moved = await moveTo({ to: "fork", entryId, position: "before" }, target);
	return moved ? { prefill: moved.text ?? "" } : {};
}

function messageItems(prefix: string, messages: readonly ForkMessage[]) {
	return messages
		.toReversed()
		.filter(({ entryId }) => entryId.startsWith(prefix))
		.map(({ entryId, text }) => ({ value: entryId, label: entryId, description: plain(text) }));
}

/** The newest first. */
function messageList(messages: readonly ForkMessage[]): CommandReply {
	const data: MessagesData = { messages: messages.toReversed() };
	const lines = data.messages.map(({ entryId, text }) => `${entryId}  ${plain(text)}`);
	return { ...reply(lines.join("\n")), data };
}

export interface MessagesData {
	messages: readonly ForkMessage[];
}

export const resume: SessionCommand = {
	name: "resume",
	group: "Session",
	aliases: ["sessions"],
	argumentHint: "[search]",
	description: "Resume a previous session",
	details: "The id or the file of a session resumes it; other words search the sessions of this directory.",
	// It lists other sessions.
	right: "control",
	async run(args, target) {
		const { host, cwd } = target;
		const stored = { cwd, directory: host.log.getSessionDir() || undefined };
		const isNamed = args !== "" && !/\s/.test(args);
		const all = await listStored(stored, isNamed ? "everywhere" : "here", () => {});
		const named = isNamed ? sessionNamed(args, all, cwd) : undefined;
		if (named === undefined) return sessionList(all, args, cwd);
		if (!(await moveTo({ to: "resume", file: named }, target))) return {};
		return reply(`Resumed ${shortenHome(named)}.`, "success");
	},
};

/** The beginning of an id is enough, if only one session has it. */
function sessionNamed(word: string, sessions: readonly SessionInfo[], cwd: string): string | undefined {
	const path = pathArgument(word, cwd);
	if (word.endsWith(".jsonl")) return path;
	const fitting = word.length < idChars ? [] : sessions.filter(({ id }) => id.startsWith(word));
	return fitting.length === 1 ? fitting[0]?.path : undefined;
}

/** Fewer characters are a word to search for. */
const idChars = 6;

/** A session as replies of /resume list it. */
export interface ResumableSession {
	id: string;
	path: string;
	cwd: string;
	name: string | null;
	firstMessage: string;
	messageCount: number;
	/** ISO 8601 */
	modified: string;
}

function sessionList(all: readonly SessionInfo[], search: string, cwd: string): CommandReply {
	const words = search.toLowerCase();
	const fitting = all
		.filter((info) => words === "" || `${info.name ?? ""} ${info.firstMessage}`.toLowerCase().includes(words))
		.filter((info) => words !== "" || info.cwd === cwd || info.cwd === "")
		.slice(0, limits.listed);
	const lines = fitting.map(({ id, name, firstMessage }) => `${id}  ${plain(name ?? firstMessage)}`);
	return {
		...reply(lines.length === 0 ? "No session found." : lines.join("\n")),
		data: {
			sessions: fitting.map((info): ResumableSession => ({
				id: info.id,
				path: info.path,
				cwd: info.cwd,
				name: info.name ?? null,
				firstMessage: plain(info.firstMessage),
				messageCount: info.messageCount,
				modified: info.modified.toISOString(),
			})),
		},
	};
}

export const importSession: SessionCommand = {
	name: "import",
	group: "Session",
	argumentHint: "<file.jsonl>",
	description: "Import a session file and continue it",
	right: "control",
	async run(args, target) {
		if (args === "") return reply("Usage: /import <file.jsonl>", "warning");
		const source = pathArgument(args, target.cwd);
		if (!existsSync(source)) throw new UserError(`${shortenHome(source)} does not exist.`);
		const file = await importedFile(source, target);
		if (!(await moveTo({ to: "resume", file }, target))) return {};
		return { ...reply(`Imported from ${shortenHome(source)}.`, "success"), data: { file } };
	},
};

/** A copy in the directory of the sessions: the imported file itself is only read. */
async function importedFile(source: string, { host, cwd }: CommandTarget): Promise<string> {
	const { detect, importFile, programNames } = await import("@tau/log/import");
	const directory = host.log.getSessionDir() || undefined;
	const program = detect(source);
	if (program === undefined && statSync(source).size > 0)
		throw new UserError(
			`${shortenHome(source)} was not imported: it is not a session of Tau, pi, omp, ${programNames}.`,
		);
	if (program === "session") {
		using copy = SessionManager.forkFrom(source, cwd, directory);
		const file = copy.getSessionFile();
		if (file === undefined) throw new UserError("The session was not stored.");
		return file;
	}
	const known = new Map((await SessionManager.listAll()).map(({ id, path }) => [id, path]));
	const outcome = importFile(source, { directory, existing: (id) => known.get(id) });
	if (!("session" in outcome))
		throw new UserError(`${shortenHome(source)} was not imported: ${outcome.reason}.`);
	return outcome.session;
}
