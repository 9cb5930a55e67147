/** A project in a directory of its own, with a recorder of its files, for tests of rewinding. */
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { SessionEntry } from "../../log/index.ts";
import { FileHistory } from "../file-history.ts";
import { FileRecorder, type RecorderParts } from "../file-recorder.ts";

interface Head {
	id: string;
	parentId: string | null;
	type: "message";
	timestamp: string;
}

/** A log with entries that say nothing. */
class TestLog {
	readonly heads: Head[] = [];
	leaf: string | null = null;

	add(id: string, parentId: string | null = this.leaf): string {
		this.heads.push({ id, parentId, type: "message", timestamp: new Date().toISOString() });
		this.leaf = id;
		return id;
	}

	getHeads(): readonly Head[] {
		return this.heads;
	}

	/** All are messages of the user. */
	getEntry(id: string): SessionEntry | undefined {
		const head = this.heads.find((each) => each.id === id);
		return head && { ...head, message: { role: "user", content: id, timestamp: 0 } };
	}

	getLeafId(): string | null {
		return this.leaf;
	}
}

export class TestProject implements Disposable {
	readonly home: string;
	readonly root: string;
	readonly log = new TestLog();
	readonly notices: string[] = [];
	history: FileHistory;
	recorder: FileRecorder;
	readonly #owned = new DisposableStack();
	readonly #recorded = Promise.withResolvers<void>();
	#entries = 0;

	constructor() {
		const home = mkdtempSync(join(realpathSync(tmpdir()), "tau-rewind-"));
		this.#owned.defer(() => rmSync(home, { recursive: true, force: true }));
		this.home = home;
		this.root = join(home, "project");
		mkdirSync(this.root);
		this.history = this.newHistory();
		this.recorder = this.newRecorder();
	}

	/** As a session that is resumed has it. */
	newHistory(): FileHistory {
		const directory = (): string => join(this.home, "session/rewind");
		return new FileHistory({ directory, isStored: () => true, root: this.root, log: this.log });
	}

	newRecorder({
		isEnabled = true,
		isProject = true,
		// No test depends on how busy the machine is.
		prepareMs = 600_000,
	}: { isEnabled?: boolean; isProject?: boolean } & Pick<RecorderParts, "prepareMs"> = {}): FileRecorder {
		return new FileRecorder(
			{
				root: isProject ? this.root : undefined,
				home: this.home,
				prepareMs,
				isEnabled: () => isEnabled,
				maxBytes: () => Infinity,
				isOwn: () => false,
				onNotice: (notice) => void this.notices.push(notice),
				onRecorded: () => this.#recorded.resolve(),
			},
			this.history,
		);
	}

	/** Resolves when something was recorded that a command changed. */
	get recorded(): Promise<void> {
		return this.#recorded.promise;
	}

	path(path: string): string {
		return join(this.root, path);
	}

	write(files: Readonly<Record<string, string | Buffer>>): void {
		for (const [path, content] of Object.entries(files)) {
			mkdirSync(dirname(this.path(path)), { recursive: true });
			writeFileSync(this.path(path), content);
		}
	}

	link(path: string, target: string): void {
		symlinkSync(target, this.path(path));
	}

	chmod(path: string, mode: number): void {
		chmodSync(this.path(path), mode);
	}

	/** The files are older than the index: git trusts its facts about them then. */
	commitAll(): void {
		this.shell(
			"find . -exec touch -h -d '2 minutes ago' {} + && git init -q . && git add -A && git commit -qm one",
		);
	}

	/** Takes over all files of another project. They are other files than its git knows: it has to look at them again. */
	copy(template: TestProject): void {
		this.shell(`cp -a '${template.root}/.' . && if [ -d .git ]; then git update-index -q --refresh; fi`);
	}

	/** Runs a command outside of the session, as the user would. */
	shell(command: string): void {
		const { exitCode, stderr } = Bun.spawnSync(["bash", "-c", command], {
			cwd: this.root,
			env: {
				PATH: process.env.PATH,
				HOME: this.home,
				GIT_CONFIG_NOSYSTEM: "1",
				GIT_AUTHOR_NAME: "t",
				GIT_AUTHOR_EMAIL: "t@example.org",
				GIT_COMMITTER_NAME: "t",
				GIT_COMMITTER_EMAIL: "t@example.org",
			},
		});
		if (exitCode !== 0) throw new Error(`${command}: ${stderr.toString()}`);
	}

	/** Runs a command as a tool call of the session, after a message of the user. Returns the id of the message. */
	async run(command: string): Promise<string> {
		const id = this.log.add(`message-${++this.#entries}`);
		await this.recorder.commandStarting(id);
		try {
			this.shell(command);
		} finally {
			await this.recorder.commandEnded(id, `call-${this.#entries}`);
		}
		return id;
	}

	/** Restores the files of an entry, and fails if anything stays behind. */
	async rewind(entryId: string): Promise<void> {
		const plan = await this.history.plan(this.history.momentBefore(entryId));
		const { failed, skipped } = await this.history.restore(plan, () => false);
		if (failed.length + skipped.length > 0)
			throw new Error(JSON.stringify({ failed, skipped }, undefined, 1));
	}

	async redo(): Promise<void> {
		const plan = await this.history.redoPlan();
		if (plan) await this.history.restore(plan, () => false);
	}

	/** Everything there is, except `.git`: kind, mode and content of each path. */
	snapshot(): Map<string, string> {
		const all = new Map<string, string>();
		const visit = (path: Buffer, name: string): void => {
			const stats = lstatSync(path, { throwIfNoEntry: false });
			if (!stats || name.endsWith("/.git")) return;
			const mode = (stats.mode & 0o7777).toString(8);
			if (stats.isSymbolicLink()) all.set(name, `link ${readlinkSync(path, "latin1")}`);
			else if (stats.isFile()) all.set(name, `file ${mode} ${contentOf(path)}`);
			else if (stats.isDirectory()) {
				all.set(name, `directory ${mode}`);
				for (const each of readdirSync(path, { encoding: "buffer" }))
					visit(Buffer.concat([path, Buffer.from("/"), each]), `${name}/${each.toString("latin1")}`);
			}
		};
		visit(Buffer.from(this.root), "");
		return all;
	}

	[Symbol.dispose](): void {
		this.recorder[Symbol.dispose]();
		this.#owned.dispose();
	}
}

/** Short, so that a difference can be read. */
function contentOf(path: Buffer): string {
	const bytes = readFileSync(path);
	return bytes.length < 100 ? bytes.toString("latin1") : Bun.hash(bytes).toString(36);
}
