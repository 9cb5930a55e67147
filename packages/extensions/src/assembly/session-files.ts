/** Records the files of a session and of its children; it lives as long as the host, over all of its runs. */
import { dirname, join } from "node:path";

import { TemporaryDirectory } from "@tau/session/artifacts";
import type { SessionMemory } from "@tau/session/behaviors";
import type { RunContext } from "@tau/session/host";
import {
	allSessionsFactor,
	ChangeJournal,
	FileHistory,
	FileRecorder,
	projectRoot,
	remoteHistory,
	rewindFolder,
	trimAll,
} from "@tau/log/journal";
import { artifactsDir } from "@tau/log";
import { localMachine, type Machine } from "@tau/sys";
import type { IsolatedTree } from "@tau/machines/isolation";
import type { ToolEnv } from "@tau/tools/tool";
import { dirs, type Env } from "@tau/utils";
import type { Settings } from "@tau/config/settings";

export interface FileParts {
	machine?: Machine | undefined;
	tree?: IsolatedTree | undefined;
	env: Env;
	settings: Pick<Settings, "get">;
	/** A client that leaves after an answer has nothing to rewind, and is not told what could not be. */
	staysOpen: boolean;
}

const notices = {
	"too-large": "This directory has too many files to watch. /rewind restores only what file tools change.",
	"no-watch": "The files of this project cannot be watched. They are scanned after each command instead.",
	"copies-limited":
		"Some large or numerous untracked files are not copied: /rewind cannot restore what commands do to them.",
	"no-project":
		"Commands are not recorded in this directory. /rewind restores only what file tools change. Start Tau in a project to change that.",
	"not-stored":
		"What files were before a change cannot be stored: the disk may be full. /rewind cannot restore these changes.",
	slow: "Copying untracked files takes long. /rewind may not restore everything that this command changes.",
} as const;

function remoteNotice(name: string): string {
	return `On ${name}, /rewind restores what file tools change, not what commands change.`;
}

export class SessionFiles implements Disposable {
	readonly #temporary = new TemporaryDirectory();
	#recorder: { recorder: FileRecorder; root: string | undefined } | undefined;
	#journal: ChangeJournal | undefined;
	#machine: Machine | undefined;
	#isTrimmed = false;
	/** What past sessions taught; its owner disposes of it. */
	memory: SessionMemory | undefined;
	/** Of the tools of the session itself. */
	mainEnv: ToolEnv | undefined;

	/** What an agent that works on the same files shares with the session: the servers that it has started for them. */
	projectEnv({ machine, tree }: Pick<FileParts, "machine" | "tree">): ToolEnv | undefined {
		return machine === this.#machine && tree === undefined ? this.mainEnv : undefined;
	}

	/** The journal of a run. A child records in the history of its parent. */
	journal(parts: FileParts, context: RunContext, isChild: boolean): ChangeJournal {
		const { log, cwd } = context;
		const leafId = (): string | null => log.getLeafId();
		if (isChild) {
			// A child that works on another machine, or in a tree of its own, changes other files.
			const isShared = parts.machine === this.#machine && parts.tree === undefined;
			const recorder = isShared ? this.#recorder?.recorder : undefined;
			return new ChangeJournal({ leafId, ...(recorder ? { recorder } : {}) });
		}
		this.#machine = parts.machine;
		const isLocal = (parts.machine ?? localMachine()).files.localPath(cwd) === cwd;
		const root = isLocal ? projectRoot(cwd, parts.env.HOME) : undefined;
		const directory = (): string => {
			const file = log.getSessionFile();
			return join(file ? artifactsDir(file) : this.#temporary.path, rewindFolder);
		};
		const isStored = (): boolean => log.getSessionFile() !== undefined;
		const { machine } = parts;
		const files = machine?.where.kind === "ssh" ? remoteHistory(machine) : undefined;
		const history = new FileHistory({ directory, isStored, root: root ?? cwd, log, files });
		if (this.#recorder?.root === root && this.#recorder) this.#recorder.recorder.continueWith(history);
		else {
			this.#recorder?.recorder[Symbol.dispose]();
			this.#recorder = { recorder: this.#open(parts, context, root, history), root };
		}
		this.#journal = new ChangeJournal({ leafId, recorder: this.#recorder.recorder });
		return this.#journal;
	}

	[Symbol.dispose](): void {
		this.#recorder?.recorder[Symbol.dispose]();
		this.#temporary[Symbol.dispose]();
	}

	#noticeText(notice: keyof typeof notices): string {
		const { where } = this.#machine ?? localMachine();
		return notice === "no-project" && where.kind === "ssh" ? remoteNotice(where.label) : notices[notice];
	}

	/** Old sessions make room for this one, once in its life and off the path of its commands. */
	#trimOnce(settings: FileParts["settings"]): void {
		if (this.#isTrimmed) return;
		this.#isTrimmed = true;
		void trimAll(dirs().sessions, settings.get("rewind.maxBytes") * allSessionsFactor);
	}

	#open(
		{ settings, staysOpen, env }: FileParts,
		{ host }: RunContext,
		root: string | undefined,
		history: FileHistory,
	): FileRecorder {
		return new FileRecorder(
			{
				root,
				home: env.HOME,
				isOwn: (path) => isOwnFile(path, host.log.getSessionFile(), root),
				isEnabled: () => settings.get("rewind.enabled"),
				maxBytes: () => settings.get("rewind.maxBytes"),
				onNotice: (notice) => void (staysOpen && host.notice(this.#noticeText(notice))),
				onRecorded: (changes, toolCallId) => {
					this.#journal?.onFound(changes, toolCallId);
					this.#trimOnce(settings);
				},
			},
			history,
		);
	}
}

/** A session may be stored in the project that it works on: neither it nor the sessions beside it are its work. */
function isOwnFile(path: string, sessionFile: string | undefined, root: string | undefined): boolean {
	if (sessionFile === undefined) return false;
	const directory = dirname(sessionFile);
	const own = directory === root ? artifactsDir(sessionFile) : `${directory}/`;
	return `${path}/`.startsWith(Buffer.from(own).toString("latin1"));
}
