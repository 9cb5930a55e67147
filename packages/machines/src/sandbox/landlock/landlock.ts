/** A sandbox made of Landlock and seccomp, for machines without bubblewrap or user namespaces. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import {
	adoptsOrphans,
	ShellRoom,
	standardPath,
	type Launch,
	type LaunchOptions,
	workerCommand,
} from "@tau/sys";
import { once } from "@tau/utils";
import { sandboxHelp, type CommandSandbox } from "../command-sandbox.ts";
import type { Denial } from "../denial.ts";
import { insideEnvironment } from "../environment.ts";
import type { RefusedHost } from "../network/proxy.ts";
import { besideHome } from "../home-entries.ts";
import { limits } from "../limits.ts";
import { PlantedFiles } from "../planted.ts";
import { PrivateDirectory, PrivateTemporary } from "../private-directory.ts";
import { ProfileSources } from "../profile-sources.ts";
import type { SandboxProfile } from "../profile.ts";
import { adoptOrphans, reap, type LandlockLaunch, type LandlockRules } from "./kernel.ts";
import { ProtectedFiles } from "./protected.ts";
import { landlockRules, type LandlockDirectories } from "./rules.ts";

/** A command may end its shell, which is the parent of what it leaves behind: that comes to us. */
export const adoptLeftovers = once(() => {
	adoptOrphans();
	adoptsOrphans(reap);
});

export class LandlockSandbox implements CommandSandbox {
	readonly profile: SandboxProfile;
	readonly room: ShellRoom;
	readonly boundary: string | undefined;
	readonly help = sandboxHelp;
	readonly isLandlock = true;
	readonly #own = new PrivateDirectory();
	readonly #temporary: PrivateTemporary;
	readonly #ownsTemporary: boolean;
	readonly #planted: PlantedFiles;
	readonly #sources: ProfileSources;
	#protected: ProtectedFiles | undefined;
	#restored: Denial[] = [];
	#rules: LandlockRules | undefined;
	#launches = 0;

	/** `temporary` is shared with other sandboxes, and disposed of by its owner. */
	constructor(given: SandboxProfile, temporary?: PrivateTemporary) {
		const profile = { ...given, writable: besideHome(given) };
		this.profile = profile;
		this.boundary = profile.boundary;
		this.#sources = new ProfileSources(profile);
		this.#temporary = temporary ?? new PrivateTemporary();
		this.#ownsTemporary = temporary === undefined;
		this.#planted = new PlantedFiles(profile);
		this.#planted.onLeft = () => this.#protected?.putBack() ?? [];
		this.room = new ShellRoom({
			create: () => this.#directories().orders,
			states: () => this.#directories().states,
		});
	}

	async launch(command: readonly string[], { cwd }: LaunchOptions): Promise<Launch> {
		adoptLeftovers();
		return { command: this.#started(command, cwd), file: "ignore", [Symbol.dispose]() {} };
	}

	/**
	 * The program is not started through a shell. Its command line names `/proc/self/exe`, which means Tau only in the
	 * process that Tau has just forked: no other process of the user may look at Tau's (`closeMemory`).
	 */
	#started(command: readonly string[], cwd: string): string[] {
		const started = workerCommand({ name: "landlock", entry: "@tau/machines/landlock" });
		if (!started) throw new Error("This executable cannot start commands in Landlock. Install bubblewrap.");
		const launch: LandlockLaunch = { rules: this.#allowed(), cwd, command };
		const file = join(this.#own.path, `launch-${++this.#launches}.json`);
		writeFileSync(file, JSON.stringify(launch), { mode: 0o600 });
		return [...started, file];
	}

	environment(env: Record<string, string>): Record<string, string> {
		const inside = insideEnvironment(env, this.profile, { temporary: this.#temporary.tmp });
		// The launching program runs before the rules hold: from sources, Bun would write a cache into the user's home.
		return { ...inside, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
	}

	commandStarts(): void {
		const { copies, temporary } = this.#directories();
		this.#protected ??= new ProtectedFiles({
			profile: this.profile,
			copies,
			changed: temporary,
			runInside: (command) => this.#runInside(command),
		});
		this.#restored.push(...this.#protected.commandStarts(this.#planted.mayHaveChanged()));
		this.#planted.commandStarts();
	}

	commandEnded(hasLeftovers?: () => boolean): void {
		this.#planted.commandEnded(hasLeftovers);
		try {
			this.#restored.push(...(this.#protected?.commandEnded() ?? []));
		} catch (error) {
			this.#restored.push({ what: String(error), mayRunOutside: false });
		}
		this.#restored = this.#restored.slice(-limits.hooks);
	}

	get isOutdated(): boolean {
		return this.#sources.namesMore() || this.#planted.isLoose;
	}

	retire(): void {
		this.#planted.retire();
	}

	disarmed(): Denial[] {
		return [...this.#planted.take(), ...this.#restored.splice(0)];
	}

	refusedSince(): readonly RefusedHost[] {
		return [];
	}

	hostPath(path: string): string {
		return path;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// What a process did between the last look and its end.
		if (this.#planted.mayHaveChanged() || this.#protected?.hasLost) this.#protected?.putBack();
		this.#rules = undefined;
		this.#planted[Symbol.dispose]();
		this.#own[Symbol.dispose]();
		if (this.#ownsTemporary) this.#temporary[Symbol.dispose]();
	}

	#directories(): LandlockDirectories {
		return {
			temporary: this.#temporary.tmp,
			orders: this.#own.directory("orders"),
			states: this.#own.directory("states"),
			copies: this.#own.directory("copies"),
		};
	}

	#runInside(command: readonly string[]): boolean {
		const { exitCode } = Bun.spawnSync(this.#started(command, "/"), {
			cwd: "/",
			env: { PATH: standardPath },
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
			timeout: limits.startMs,
		});
		return exitCode === 0;
	}

	/** Made once: what appears beside hidden files later is not visible to this sandbox. */
	#allowed(): LandlockRules {
		return (this.#rules ??= landlockRules(this.profile, this.#directories()));
	}
}
