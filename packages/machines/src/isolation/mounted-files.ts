/** The files of a machine with a tree mounted over the project, which only the commands of the tree can see directly. */
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { committedChanges, type FileChange, type MachineFiles, followPath } from "@tau/sys";

export interface MountedTree {
	/** What the tree covers, without links. */
	readonly root: string;
	/** Its opened root, below `/proc`: nothing reached through it can be a file of the project itself. */
	readonly opened: string;
	/**
	 * The same root for programs that this process starts, such as ripgrep: nobody but root may look at our own
	 * descriptors (`closeMemory`), so that it leads through the process that holds the mount.
	 */
	readonly shared: string;
}

/** The path under which this process reaches a path of the tree; others are the same. */
export function hostPath({ root, opened }: MountedTree, path: string): string {
	if (path === root) return opened;
	return path.startsWith(`${root}/`) ? opened + path.slice(root.length) : path;
}

/** The path under which programs that this process starts reach a path of the tree. */
function programPath(tree: MountedTree, path: string): string {
	const { root, shared } = tree;
	if (path !== root && !path.startsWith(`${root}/`)) return path;
	// Once the process is gone, its number may be another one's.
	const [own, other] = [statSync(tree.opened), statSync(shared)];
	if (own.dev !== other.dev || own.ino !== other.ino) throw new Error(`The tree of ${root} is gone.`);
	return shared + path.slice(root.length);
}

/** The path that users and commands know. */
function shownPath({ root, opened, shared }: MountedTree, path: string): string {
	const above = [opened, shared].find((one) => path === one || path.startsWith(`${one}/`));
	return above === undefined ? path : root + path.slice(above.length);
}

/** Links are followed here: an absolute one leads to what is mounted, and the system would leave the tree for it. */
export function mountedFiles(files: MachineFiles, tree: MountedTree, isUnlinked = false): MachineFiles {
	const host = (path: string): string => hostPath(tree, path);
	const shown = (path: string): string => shownPath(tree, path);
	const real = (path: string): string => (isUnlinked ? path : followPath(path, { hostPath: host }));
	const at = (path: string): string => host(real(path));
	const outer = (path: string): string => programPath(tree, real(path));
	const entry = (path: string): string => host(join(real(dirname(path)), basename(path)));
	const inside = (change: FileChange): FileChange => ({
		...change,
		before: { ...change.before, target: host(change.before.target) },
		...(change.renamedFrom === undefined ? {} : { renamedFrom: host(change.renamedFrom) }),
	});
	return {
		...files,
		stat: async (path) => files.stat(at(path)),
		async lstat(path) {
			const found = entry(path);
			return found === tree.opened ? files.stat(found) : files.lstat(found);
		},
		async realpath(path) {
			const found = real(path);
			if (isUnlinked) await files.realpath(host(found));
			else statSync(host(found));
			return found;
		},
		open: async (path, signal) => files.open(at(path), signal),
		read: async (path, options) => files.read(at(path), options),
		list: async (path) => files.list(at(path)),
		async glob(options) {
			const found = await files.glob({ ...options, root: at(options.root) });
			return { ...found, root: shown(found.root) };
		},
		fuzzyFind: async (options) => files.fuzzyFind({ ...options, root: at(options.root) }),
		async search(options, onEvent) {
			const paths = options.paths.map((path) => outer(resolve(options.cwd, path)));
			const there = {
				...options,
				paths,
				cwd: outer(options.cwd),
				ownPath: (path: string) => host(shown(path)),
			};
			const outcome = await files.search(there, (event) => onEvent({ ...event, path: shown(event.path) }));
			if (!outcome.ok) return outcome;
			return {
				...outcome,
				problems: outcome.problems.map((text) => text.replaceAll(tree.shared, tree.root)),
			};
		},
		async readText(name, path) {
			const found = await files.readText(name, at(path));
			return found.ok ? { ...found, target: shown(found.target) } : found;
		},
		async readEntry(name, path) {
			const found = await files.readEntry(name, entry(path));
			return found.ok ? { ...found, target: shown(found.target) } : found;
		},
		async commit(changes, options) {
			const done = await files.commit(changes.map(inside), options);
			return done.ok ? { ...done, changes: committedChanges(changes) } : done;
		},
		noteChange: (origin, path) => files.noteChange(origin, path === undefined ? undefined : host(path)),
		localPath: (path) => files.localPath(at(path)),
		unlinked: () => mountedFiles(files.unlinked(), tree, true),
	};
}
