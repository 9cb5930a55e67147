/** Takes a session back to one of the user's messages: the conversation, the files, or both. */
import type { FileHistory, FileRecorder, PlannedFile, RestoreOutcome, RestorePlan } from "@tau/log/journal";
import { oneLine, stripControls, fill } from "@tau/utils";

import filesRestored from "../prompts/files-restored.md" with { type: "text" };
import { UserError } from "../run/user-error.ts";
import { userTextOf } from "@tau/log";
import { limits } from "./limits.ts";
import type { ForkMessage } from "./moves.ts";
import type { SessionHost } from "./session-host.ts";

/** A message that the session can be taken back to, with the files that changed since. */
export interface RewindPoint extends ForkMessage {
	/** How many files are different now. */
	files: number;
	/** The first of them, relative to the project. */
	shown: readonly string[];
}

export type RewindScope = "conversation" | "files" | "both";

export interface RewindRequest {
	entryId: string;
	restore: RewindScope;
	/** Which files are restored although another program has changed them. */
	overwrite?: (file: PlannedFile) => boolean;
}

export type RewindOutcome =
	/** An extension objected; nothing has changed. */
	| { kind: "cancelled" }
	/** `text`: the message that the conversation was taken back to. */
	| { kind: "rewound"; text?: string; files?: RestoreOutcome };

const never = (): boolean => false;

export class SessionRewind {
	readonly #host: SessionHost;
	readonly #recorder: () => FileRecorder | undefined;

	constructor(host: SessionHost, recorder: () => FileRecorder | undefined) {
		this.#host = host;
		this.#recorder = recorder;
	}

	/** The messages of the branch, oldest first. */
	async points(): Promise<RewindPoint[]> {
		const messages = this.#host.forkMessages();
		const history = await this.#history();
		const changes = history?.changesSince(messages.map(({ entryId }) => entryId)) ?? [];
		return messages.map((message, at) => ({
			...message,
			files: changes[at]?.count ?? 0,
			shown: changes[at]?.shown ?? [],
		}));
	}

	/** What restoring the files of an entry would do. A user message means the moment before it. */
	async preview(entryId: string): Promise<RestorePlan> {
		const history = await this.#history();
		if (!history) return { files: [] };
		const moment = this.#isUserMessage(entryId) ? history.momentBefore(entryId) : history.momentAt(entryId);
		return await history.plan(moment);
	}

	/** What taking back the last restore would do; undefined if there was none. */
	async previewRedo(): Promise<RestorePlan | undefined> {
		return (await this.#history())?.redoPlan();
	}

	/** Restores the files of a plan. In a conversation that stays where it is, the model learns of it. */
	async restoreFiles(
		plan: RestorePlan,
		overwrite: (file: PlannedFile) => boolean = never,
		conversation: "stays" | "moved" = "stays",
		signal?: AbortSignal,
	): Promise<RestoreOutcome> {
		this.#assertIdle();
		const recorder = this.#recorder();
		if (!recorder) throw new UserError("The files of this session are not recorded.");
		const outcome = await recorder.restore(plan, overwrite, signal);
		const isNews = conversation === "stays" && outcome.restored.length > 0;
		if (isNews && this.#host.log.getLeafId() !== null) this.#inform(outcome.restored);
		return outcome;
	}

	/** Rejects with a `UserError` if that is not possible; then nothing has changed. */
	async rewind({ entryId, restore, overwrite = never }: RewindRequest): Promise<RewindOutcome> {
		const { log } = this.#host;
		const entry = log.getEntry(entryId);
		if (!entry) throw new UserError(`Entry ${entryId} not found in this session.`);
		if (restore === "files") {
			return { kind: "rewound", files: await this.restoreFiles(await this.preview(entryId), overwrite) };
		}
		if (entry.type !== "message" || entry.message.role !== "user")
			throw new UserError(`Entry ${entryId} is not a user message.`);
		// Before the conversation moves: it must not be without its files then.
		if (restore === "both") this.#assertIdle();
		const text = userTextOf(entry.message);
		const { parentId } = entry;
		const change = (): void => (parentId === null ? log.resetLeaf() : log.branch(parentId));
		const { kind } = await this.#host.move({ to: "branch", change });
		if (kind === "cancelled") return { kind };
		if (restore === "conversation") return { kind: "rewound", text };
		const files = await this.restoreFiles(await this.preview(entryId), overwrite, "moved");
		return { kind: "rewound", text, files };
	}

	async redo(overwrite: (file: PlannedFile) => boolean = never): Promise<RestoreOutcome> {
		const plan = await this.previewRedo();
		if (!plan) throw new UserError("No files were restored in this session.");
		return await this.restoreFiles(plan, overwrite);
	}

	/** The content before and after a restore of the file, for a preview. */
	contents(file: PlannedFile): { now: Buffer | undefined; want: Buffer | undefined } {
		return this.#recorder()?.history.contents(file) ?? { now: undefined, want: undefined };
	}

	#assertIdle(): void {
		if (this.#host.isBusy || this.#host.isShellRunning)
			throw new UserError("Files cannot be restored while a run or a command is active. Stop it first.");
	}

	#inform(restored: readonly string[]): void {
		const more = restored.length - limits.restoredNames;
		const names = restored
			.slice(0, limits.restoredNames)
			.map((name) => `- ${oneLine(stripControls(name), limits.restoredNameChars)}`);
		const files = [...names, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
		this.#host.record({
			role: "custom",
			customType: "files-restored",
			content: fill(filesRestored, { files }).trim(),
			display: false,
			timestamp: Date.now(),
		});
	}

	#isUserMessage(entryId: string): boolean {
		const entry = this.#host.log.getEntry(entryId);
		return entry?.type === "message" && entry.message.role === "user";
	}

	/** After everything that ended was recorded. */
	async #history(): Promise<FileHistory | undefined> {
		const recorder = this.#recorder();
		await recorder?.idle();
		return recorder?.history;
	}
}
