/** Leaves a session for another one: a new one, one from a file, a fork, a copy. */
import { existsSync } from "node:fs";

import { thinkingLevels } from "@tau/ai";

import { newerInWords, SessionManager, writtenIn } from "../index.ts";
import { sessionVersion } from "../log/tree/entry.ts";
import type { Conversation, LiveSession, SessionChange, SessionLifecycle } from "./conversation.ts";
import { Cancelled, Refusal } from "./refusal.ts";
import type { UsableModels } from "../models/usable-models.ts";

/** What it takes to leave a session: whoever talks in it, and what runs for the person. */
export interface SessionDesk {
	readonly host: LiveSession & { readonly models: UsableModels };
	readonly conversation: Conversation;
	/** The person's commands. */
	readonly bash: { stop(): Promise<void> };
}

/** A message of the person, from which the conversation can be had in another way. */
export interface ForkMessage {
	entryId: string;
	text: string;
}

/** All of these throw `Cancelled` where an extension says no; then nothing has changed. */
export async function newSession(
	desk: SessionDesk,
	parentSession: string | undefined,
	setup?: (log: SessionManager) => void | Promise<void>,
): Promise<void> {
	const { log } = desk.host;
	await ask(desk, { to: "new" });
	await replace(
		desk,
		async () => {
			log.newSession(parentSession === undefined ? {} : { parentSession });
			await setup?.(log);
		},
		{ reason: "new" },
	);
}

export async function switchSession(desk: SessionDesk, path: string): Promise<void> {
	checkSession(path);
	const { log } = desk.host;
	await ask(desk, { to: "resume", targetSessionFile: path });
	await replace(desk, () => log.setSessionFile(path), { reason: "resume", targetSessionFile: path });
	await restoreSettings(desk);
}

/** Gives back what was said there, to be said in another way. */
export async function fork(desk: SessionDesk, entryId: string): Promise<string> {
	const { log } = desk.host;
	const entry = log.getEntry(entryId);
	if (!entry) throw new Refusal(`There is no entry ${entryId} in this session.`);
	if (entry.type !== "message" || entry.message.role !== "user")
		throw new Refusal(`Entry ${entryId} is not a message of the user.`);
	const text = writtenIn(entry.message);
	const parentSession = log.getSessionFile();
	await ask(desk, { to: "fork", entryId, position: "before" });
	await replace(
		desk,
		() => {
			if (entry.parentId !== null) log.createBranchedSession(entry.parentId);
			else log.newSession(parentSession === undefined ? {} : { parentSession });
		},
		{ reason: "fork" },
	);
	return text;
}

/** A copy of the way to an entry, or to the leaf. */
export async function clone(desk: SessionDesk, entryId?: string): Promise<void> {
	const { log } = desk.host;
	const at = entryId ?? log.getLeafId();
	if (at === null) throw new Refusal("There is nothing to clone yet.");
	if (!log.getEntry(at)) throw new Refusal(`There is no entry ${at} in this session.`);
	await ask(desk, { to: "fork", entryId: at, position: "at" });
	// What runs is ended first, and may still add to the end of it.
	await replace(desk, () => void log.createBranchedSession(entryId ?? log.getLeafId() ?? at), {
		reason: "fork",
	});
}

/** A copy of the whole tree. */
export async function forkWhole(desk: SessionDesk): Promise<void> {
	const { log } = desk.host;
	const at = log.getLeafId();
	if (at === null) throw new Refusal("There is nothing to fork yet.");
	await ask(desk, { to: "fork", entryId: at, position: "at" });
	await replace(desk, () => void log.fork(), { reason: "fork" });
}

async function ask(
	{ host: { extensions } }: SessionDesk,
	about: Parameters<SessionLifecycle["mayLeave"]>[0],
): Promise<void> {
	if (extensions && !(await extensions.mayLeave(about))) throw new Cancelled();
}

export function forkMessages({ host }: SessionDesk): ForkMessage[] {
	return host.log.getBranch().flatMap((entry) => {
		if (entry.type !== "message" || entry.message.role !== "user") return [];
		const text = writtenIn(entry.message);
		return text === "" ? [] : [{ entryId: entry.id, text }];
	});
}

/** What runs belongs to the session that is left: it ends first, and what it gave is kept there. */
async function replace(
	desk: SessionDesk,
	change: () => void | Promise<void>,
	why: SessionChange,
): Promise<void> {
	await desk.bash.stop();
	await desk.conversation.replace(change, why);
}

/** Looked at before anything is left: a wrong path must not cost the answer that is being given. */
function checkSession(path: string): void {
	if (!existsSync(path)) throw new Refusal(`There is no session at ${path}.`);
	const opened = SessionManager.tryOpen(path, { access: "read" });
	if (!opened.ok) {
		throw new Refusal(
			`${path} cannot be read${opened.reason === "unreadable" ? `: ${opened.message}` : "."}`,
		);
	}
	using session = opened.session;
	if (session.getHeads().length === 0 && session.getProblems().length > 0)
		throw new Refusal(`${path} is not a session.`);
	const { version = 1 } = session.getHeader();
	if (version > sessionVersion) throw new Refusal(newerInWords({ path, version }));
	const cwd = session.getCwd();
	if (cwd !== "" && !existsSync(cwd))
		throw new Refusal(`The directory of that session does not exist any more: ${cwd}`);
}

/** The model and the level that the session was left with, as far as they can still be had. */
async function restoreSettings({ host, conversation }: SessionDesk): Promise<void> {
	const { model, thinkingLevel } = host.log.buildSessionContext();
	const level = thinkingLevels.find((each) => each === thinkingLevel);
	const isChosen = host.log.getHeads().some(({ type }) => type === "thinking_level_change");
	if (level && isChosen) host.session.setThinkingLevel(level);
	if (!model) return;
	try {
		host.session.setModel(await host.models.ready(model.provider, model.modelId));
	} catch (error) {
		const { provider, id } = host.session.model;
		const why = error instanceof Error ? error.message : String(error);
		await conversation.notice(`The session goes on with ${provider}/${id}. ${why}`);
	}
}
