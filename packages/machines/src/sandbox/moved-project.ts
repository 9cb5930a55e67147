/** What commands make in a project that is renamed while they run is looked at under its new path. */
import { isBelow } from "./below.ts";
import type { Denial } from "./denial.ts";
import { HeldProject } from "./held-project.ts";
import type { ProtectedMounts } from "./mount-points.ts";
import type { SandboxProfile } from "./profile.ts";

/** What was known of it at its former path, in paths of the new one. */
export interface FormerProject {
	/** Repositories of the user. */
	readonly repositories: ReadonlySet<string>;
	readonly newRepository: string | undefined;
	readonly furtherSettings: readonly string[];
	/** Files of the user. */
	readonly files: ReadonlyMap<string, Buffer | undefined>;
}

type Move = (path: string) => string;
type MovableProfile = Pick<
	SandboxProfile,
	"cwd" | "writable" | "unwanted" | "unwantedHooks" | "links" | "readOnly"
>;

interface Planted extends Disposable {
	disarm(): void;
	take(): Denial[];
}

/** Looks at a project under its new path. */
export class MovableProject<T extends MovableProfile> implements Disposable {
	readonly #profile: T;
	readonly #mounts: ProtectedMounts;
	readonly #open: (profile: T, mounts: ProtectedMounts, former: FormerProject) => Planted;
	readonly #held: HeldProject;
	#moved: { readonly to: string; readonly planted: Planted } | undefined;

	constructor(
		profile: T,
		mounts: ProtectedMounts,
		open: (profile: T, mounts: ProtectedMounts, former: FormerProject) => Planted,
	) {
		this.#profile = profile;
		this.#mounts = mounts;
		this.#open = open;
		this.#held = new HeldProject(profile.cwd);
	}

	movedTo(): string | undefined {
		return this.#held.movedTo();
	}

	/** `formerly`: what was known of it. Says once that it was moved. */
	disarm(formerly: (move: Move) => FormerProject): Denial[] {
		const { cwd } = this.#profile;
		const to = this.movedTo();
		if (to === undefined) return [];
		const what = `${cwd} was moved to ${to} while a command ran: start Tau there again`;
		const isNew = this.#moved?.to !== to;
		if (isNew) this.#follow(to, formerly);
		this.#moved?.planted.disarm();
		return [...(isNew ? [{ what, mayRunOutside: false }] : []), ...(this.#moved?.planted.take() ?? [])];
	}

	[Symbol.dispose](): void {
		this.#moved?.planted[Symbol.dispose]();
		this.#held[Symbol.dispose]();
	}

	#follow(to: string, formerly: (move: Move) => FormerProject): void {
		const { cwd, writable, unwanted, unwantedHooks, links, readOnly } = this.#profile;
		const move: Move = (path) => (path === cwd || isBelow(path, cwd) ? to + path.slice(cwd.length) : path);
		const moved = {
			cwd: to,
			writable: writable.map(move),
			unwanted: unwanted.map(move),
			unwantedHooks: unwantedHooks.map(move),
			links: links.map(move),
			readOnly: readOnly.map(move),
		};
		// The kernel moves the mounts with it.
		const mounts = { paths: this.#mounts.paths.map(move), points: () => this.#mounts.points() };
		this.#moved?.planted[Symbol.dispose]();
		this.#moved = { to, planted: this.#open({ ...this.#profile, ...moved }, mounts, formerly(move)) };
	}
}
