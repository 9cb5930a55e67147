/**
 * The files of the user that decide what is protected: settings of git and mise, a `.envrc`, and directories of hooks. They name hooks, further settings and scripts
 * of the project, and may name others while a session runs.
 */
import { statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { directoriesAbove, isBelow } from "./below.ts";
import { configuredCode } from "./git-paths.ts";
import { odd } from "./git-values.ts";
import { namedWorkTree } from "./gitlinks.ts";
import { limits } from "./limits.ts";
import { miseEnvFiles, miseSettings } from "./mise-files.ts";
import type { SandboxProfile } from "./profile.ts";
import { allPromptFiles } from "./prompt-files.ts";

type NamingProfile = Pick<
	SandboxProfile,
	"cwd" | "home" | "gitUser" | "miseSettings" | "direnvScripts" | "writable" | "readOnly"
>;

export class ProfileSources {
	readonly #profile: NamingProfile;
	#sources: Sources;
	#namesMore = false;

	constructor(profile: NamingProfile) {
		this.#profile = profile;
		this.#sources = sourcesOf(profile);
	}

	/** Whether they name something now that they did not name when the profile was made. Some stats, while none of them changes. */
	namesMore(): boolean {
		if (this.#namesMore) return true;
		const { stamps, named } = this.#sources;
		if (![...stamps].some(([path, stamp]) => stampOf(path) !== stamp)) return false;
		this.#sources = sourcesOf(this.#profile);
		return (this.#namesMore = [...this.#sources.named].some((path) => !named.has(path)));
	}
}

interface Sources {
	/** By the path of a file, whether it exists or not. */
	readonly stamps: ReadonlyMap<string, string>;
	/** What they name where commands can write. */
	readonly named: ReadonlySet<string>;
}

function sourcesOf(profile: NamingProfile): Sources {
	const { cwd, gitUser, miseSettings: ofMise = [], direnvScripts, writable, readOnly } = profile;
	const roots = [...new Set([cwd, ...writable])];
	const directories = [...roots, ...directoriesAbove(cwd)];
	const ofPrompts = allPromptFiles(directories, profile);
	const ownFiles = directories.flatMap((path) => [join(path, ".envrc"), ...miseSettings(path)]);
	const names = miseEnvFiles([...ofMise, ...ownFiles]);
	const envFiles = roots.flatMap((root) => names.map((name) => resolve(root, name)));
	const repositories = readOnly
		.filter((path) => basename(path) === "config")
		.map((path) => dirname(path))
		.map((path) => ({
			files: ["config", "config.worktree", "hooks"].map((name) => join(path, name)),
			named: configuredCode(path, namedWorkTree(path) ?? dirname(path), gitUser),
		}));
	const files = [
		...gitUser.files,
		...ofMise,
		...ownFiles,
		...direnvScripts,
		// Links among the hooks name scripts: their directory changes with each.
		...repositories.flatMap(({ files: own, named: { settings, hooks } }) => [...own, ...settings, ...hooks]),
		// What these read is named as well.
		...ofPrompts,
	];
	const named = [
		...ofPrompts,
		...envFiles,
		...repositories.flatMap((repository) => Object.values<readonly string[]>({ ...repository.named }).flat()),
	];
	const stamped = [...new Set(files)].slice(0, limits.profileSources);
	return {
		stamps: new Map(stamped.map((path) => [path, stampOf(path)])),
		// One that is not text is refused, wherever it is.
		named: new Set(
			named.filter(
				(path) => path.includes(odd) || writable.some((root) => path === root || isBelow(path, root)),
			),
		),
	};
}

/** Of the file that a link leads to: many keep their settings in a repository. */
function stampOf(path: string): string {
	try {
		const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
		return stats === undefined ? "" : `${stats.dev} ${stats.ino} ${stats.ctimeNs}`;
	} catch (error) {
		return String(error);
	}
}
