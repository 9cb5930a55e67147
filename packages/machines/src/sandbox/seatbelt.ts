/** The profile of macOS's sandbox-exec, and how programs are started in it. */
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";

import { temporaryDirectory } from "@tau/utils";

import { ShellRoom, type Launch, type LaunchOptions } from "@tau/sys";
import { sandboxHelp, type CommandSandbox } from "./command-sandbox.ts";
import type { Denial } from "./denial.ts";
import { insideEnvironment } from "./environment.ts";
import type { RefusedHost } from "./network/proxy.ts";
import { PlantedFiles } from "./planted.ts";
import { isBelow } from "./below.ts";
import { ProfileSources } from "./profile-sources.ts";
import { directoriesBetween, type SandboxProfile } from "./profile.ts";

/**
 * In Seatbelt the last rule that matches decides: everything is readable, then what is writable, then what is protected
 * and hidden. There is no network: the proxy would need a port of the host.
 */
export function seatbeltProfile(profile: SandboxProfile, temporary: string): string {
	const rule = (verb: string, paths: readonly string[]): string[] =>
		paths.length === 0 ? [] : [`(${verb}`, ...paths.map((path) => `  (subpath ${quoted(path)})`), ")"];
	const caches = profile.cacheDir === undefined ? [] : [profile.cacheDir];
	// A link, or a start-up file that does not exist yet, is protected by its name.
	const protectedPaths = [...profile.readOnly, ...profile.hidden, ...profile.links, ...profile.unwanted];
	const inner = profile.writable.filter((path) => profile.readOnly.some((above) => isBelow(path, above)));
	// A renamed parent would take what is protected with it.
	const parents = new Set(protectedPaths.flatMap((path) => directoriesBetween(profile, path)));
	return [
		"(version 1)",
		"(deny default)",
		"(allow process-fork process-exec)",
		"(allow signal (target same-sandbox))",
		"(allow process-info* (target same-sandbox))",
		"(allow sysctl-read)",
		'(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
		"(allow ipc-posix-sem)",
		"(allow pseudo-tty)",
		"(allow file-read*)",
		'(allow file-ioctl (regex #"^/dev/tty"))',
		'(allow file-write* (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/(tty|ptmx|fd)"))',
		...rule("allow file-write*", [...profile.writable, temporary, ...caches]),
		...rule("deny file-write*", protectedPaths),
		...rule("allow file-write*", inner),
		...rule(
			"deny file-write*",
			protectedPaths.filter((path) => inner.some((above) => isBelow(path, above))),
		),
		...[...parents].map((path) => `(deny file-write-unlink (literal ${quoted(path)}))`),
		...rule("deny file-read* file-write*", profile.hidden),
		...(profile.network === "open" ? ["(allow network*)"] : ["(deny network*)"]),
		"",
	].join("\n");
}

/** A text of the profile's language, a dialect of Scheme. */
function quoted(path: string): string {
	return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

export class SeatbeltSandbox implements CommandSandbox {
	readonly profile: SandboxProfile;
	readonly room: ShellRoom;
	readonly boundary: string | undefined;
	readonly help = sandboxHelp;
	readonly #planted: PlantedFiles;
	readonly #sources: ProfileSources;
	#root: string | undefined;

	constructor(profile: SandboxProfile) {
		this.profile = profile;
		this.boundary = profile.boundary;
		this.#sources = new ProfileSources(profile);
		this.#planted = new PlantedFiles(profile);
		this.room = new ShellRoom({
			create: () => this.#directory("orders"),
			states: () => this.#directory("tmp"),
		});
	}

	async launch(command: readonly string[], { cwd }: LaunchOptions): Promise<Launch> {
		const text = seatbeltProfile(this.profile, this.#directory("tmp"));
		const started = [
			"/bin/sh",
			"-c",
			'cd -- "$0" && exec "$@"',
			cwd,
			"/usr/bin/sandbox-exec",
			"-p",
			text,
			...command,
		];
		return { command: started, file: "ignore", [Symbol.dispose]() {} };
	}

	refusedSince(): readonly RefusedHost[] {
		return [];
	}

	commandEnded(hasLeftovers?: () => boolean): void {
		this.#planted.commandEnded(hasLeftovers);
	}

	get isOutdated(): boolean {
		return this.#sources.namesMore() || this.#planted.isLoose;
	}

	retire(): void {
		this.#planted.retire();
	}

	disarmed(): Denial[] {
		return this.#planted.take();
	}

	environment(env: Record<string, string>): Record<string, string> {
		return insideEnvironment(env, this.profile, { temporary: this.#directory("tmp") });
	}

	hostPath(path: string): string {
		return path;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#planted[Symbol.dispose]();
		if (this.#root !== undefined) rmSync(this.#root, { recursive: true, force: true });
		this.#root = undefined;
	}

	#directory(name: string): string {
		this.#root ??= temporaryDirectory("sandbox");
		const path = join(this.#root, name);
		mkdirSync(path, { recursive: true, mode: 0o700 });
		// Rules are about paths without links, and `/var` is one.
		return realpathSync(path);
	}
}
