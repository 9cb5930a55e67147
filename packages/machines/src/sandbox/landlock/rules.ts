/** Turns a profile into rules of Landlock, which can allow and not forbid: what is hidden is left out. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { shortenHome } from "@tau/utils";

import { rootEntries } from "../bubblewrap.ts";
import { limits } from "../limits.ts";
import { isBelow } from "../below.ts";
import type { SandboxProfile } from "../profile.ts";
import { seccompFilter } from "../seccomp.ts";
import type { LandlockRules } from "./kernel.ts";

/** Directories of this process that commands use. */
export interface LandlockDirectories {
	readonly temporary: string;
	/** What Tau writes for its shells, with pipes that they write to. */
	readonly orders: string;
	readonly states: string;
	/** Copies of what is protected. */
	readonly copies: string;
}

/** Without those of other terminals, of memory and of disks. */
const devices = ["null", "zero", "full", "random", "urandom", "tty"].map((name) => `/dev/${name}`);

/** Throws with a readable reason if the profile cannot be kept. */
export function landlockRules(profile: SandboxProfile, own: LandlockDirectories): LandlockRules {
	const { writable, hidden, network } = profile;
	const exposed = hidden.find((path) => writable.some((above) => isBelow(path, above)));
	if (exposed !== undefined)
		throw new Error(
			`Landlock cannot hide ${shortenHome(exposed)} inside of a directory that is writable. Install bubblewrap, start Tau in another directory, or add the path to sandbox.writable to show it.`,
		);
	if (writable.some((above) => isBelow(own.orders, above) || isBelow(own.temporary, above)))
		throw new Error(
			"Landlock cannot protect the sandbox's own files in a directory for temporary files that is writable. Set TMPDIR to one outside of the project, or install bubblewrap.",
		);
	// Sockets of services cannot be refused by their path, so there are no Unix sockets at all.
	const filter = seccompFilter({ network: network !== "open", unixSockets: true, otherProcesses: true });
	if (!filter) throw new Error(`The sandbox has no system call filter for ${process.arch}.`);
	const concealed = [
		...hidden,
		...profile.emptied,
		"/tmp",
		"/var/tmp",
		dirname(own.orders),
		dirname(own.temporary),
	];
	const search = new Search(concealed);
	// Below directories that are hidden because of what others keep there.
	const isSecret = (path: string): boolean => hidden.some((above) => isBelow(path, above));
	const kept = [profile.cwd, ...profile.shown, ...profile.readOnly].filter((path) => !isSecret(path));
	return {
		readable: [...[...rootEntries(), "/proc", ...kept].flatMap((path) => search.visible(path)), own.copies],
		writable: [
			...writable,
			own.temporary,
			own.states,
			...(profile.cacheDir === undefined ? [] : [profile.cacheDir]),
		],
		usable: [...devices, own.orders],
		isOffline: network !== "open",
		filter: Buffer.from(filter).toString("base64"),
	};
}

class Search {
	readonly #hidden: readonly string[];
	#found = 0;

	constructor(hidden: readonly string[]) {
		this.#hidden = hidden;
	}

	/** The path itself, or what it contains besides what is hidden. */
	visible(path: string): string[] {
		if (this.#hidden.includes(path)) return [];
		if (!this.#hidden.some((hidden) => isBelow(hidden, path))) return [this.#counted(path)];
		return entries(path).flatMap((name) => this.visible(join(path, name)));
	}

	#counted(path: string): string {
		if (++this.#found > limits.landlockRules)
			throw new Error(
				`Landlock would need more than ${limits.landlockRules} rules, because of the files beside ${shortenHome(path)}. Install bubblewrap.`,
			);
		return path;
	}
}

/** Without links: what they lead to has a rule of its own, or is hidden. */
function entries(directory: string): string[] {
	try {
		return readdirSync(directory, { withFileTypes: true })
			.filter((entry) => !entry.isSymbolicLink())
			.map(({ name }) => name);
	} catch {
		// Not even this user can list it.
		return [];
	}
}
