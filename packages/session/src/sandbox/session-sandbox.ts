/** The sandbox of a session: follows the settings and the approval mode, and starts with the first command. */
import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

import {
	gitUser,
	HeldProject,
	hiddenNames,
	knownSupport,
	PrivateTemporary,
	sandboxSupport,
	settingsVariables,
	type CommandSandbox,
	type Denial,
	type SandboxProfile,
	type SandboxSupport,
} from "@tau/machines/sandbox";
import { localMachine, type CurrentLauncher, type MachineShell } from "@tau/sys";
import type { IsolatedTree } from "@tau/machines/isolation";
import { commandsWrite, dirs, env as readEnv, expandHome, once, passVariables, type Env } from "@tau/utils";

import type { HostUser } from "../policy/approval-request.ts";
import type { Settings } from "@tau/config/settings";
import { isWithin, realPath } from "../policy/real-path.ts";
import { SessionPorts, type PortPolicy } from "./session-ports.ts";

export type SandboxMode = "auto" | "required" | "off";

export const sandboxModes: readonly SandboxMode[] = ["auto", "required", "off"];

/** What the session's approval policy knows and decides. */
export interface SandboxPolicy extends PortPolicy {
	/** `full` runs commands outside, `plan` lets them write nothing. */
	mode?(): string | undefined;
	/** Whether a host that the settings do not name may be connected to. */
	requestHost?(host: string, port: number, signal: AbortSignal, by: HostUser): Promise<boolean>;
	/** Whether a command that the sandbox has stopped may run outside of it, once. */
	requestOutside?(
		command: string,
		why: string,
		signal: AbortSignal,
		onlyApproved?: boolean,
	): Promise<boolean>;
}

export interface SessionSandboxOptions {
	cwd: string;
	/** Locates the home directory and Tau's own files. */
	env: Env;
	settings: Pick<Settings, "get" | "getWithoutProject">;
	policy?: SandboxPolicy | undefined;
	/** Files of the project that Tau starts outside: no command may change them. */
	startedOutside?: (() => readonly string[]) | undefined;
	/** The isolated tree that the session works in. */
	tree?: Pick<IsolatedTree, "enter" | "machine"> | undefined;
}

/** Loaded with the end of the first command. */
const denial = once(() => import("@tau/machines/sandbox/denial"));

/** Sandboxes that are kept: one for each combination of mode and settings that was used. */
const mostSandboxes = 6;

export class SessionSandbox implements AsyncDisposable {
	readonly #options: SessionSandboxOptions;
	readonly #closing = new AbortController();
	readonly #temporary = new PrivateTemporary();
	/** What commands were denied, newest last; the tools write it, and the user's list shows it. */
	readonly denied: Denial[] = [];
	/** Servers inside that the user may reach, and services of the user. */
	readonly ports: SessionPorts;
	#current: Promise<CommandSandbox | undefined> | undefined;
	/** Those that are there. */
	readonly #ready = new WeakMap<object, CommandSandbox | undefined>();
	/** By what they depend on; background processes of earlier ones continue. The latest is the last. */
	readonly #opened = new Map<string, Promise<CommandSandbox | undefined>>();

	/** Sandboxes in whose place others were opened. */
	#outdated = 0;

	/** What all programs of this process are told about the commands of the session. */
	readonly #registered = new DisposableStack();
	readonly #project: HeldProject;
	/** Whether the browser inside has just opened a host; undefined while there is none. */
	#isOpened: ((host: string) => boolean) | undefined;

	constructor(options: SessionSandboxOptions) {
		this.#options = options;
		this.ports = new SessionPorts({
			sandboxes: () => this.#running(),
			settings: options.settings,
			policy: options.policy,
			signal: this.#closing.signal,
		});
		const { cwd, env, settings } = options;
		const { home } = dirs(env);
		this.#project = this.#registered.use(new HeldProject(realPath(cwd)));
		this.#registered.use(
			commandsWrite(() => [
				cwd,
				...writablePaths(settings).map((path) => resolve(cwd, expandHome(path, home))),
			]),
		);
		this.#registered.use(passVariables(() => settings.getWithoutProject("environment.pass")));
	}

	/** A browser runs inside until the result is disposed of: questions about hosts say so. */
	hostBrowser(isOpened: (host: string) => boolean): Disposable {
		this.#isOpened = isOpened;
		return {
			[Symbol.dispose]: () => {
				if (this.#isOpened === isOpened) this.#isOpened = undefined;
			},
		};
	}

	get mode(): SandboxMode {
		return sandboxMode(this.#options);
	}

	/** Whether commands run inside, as far as the settings and the approval mode decide. */
	get isWanted(): boolean {
		return this.mode === "required" || (this.mode === "auto" && this.#approvalMode !== "full");
	}

	/** Whether commands cannot write to the project either. */
	get isReadOnly(): boolean {
		return this.#approvalMode === "plan";
	}

	/** For each command. Rejects if a sandbox is required and this machine has none. */
	readonly launcher = (): CurrentLauncher => {
		if (!this.isWanted) return undefined;
		const moved = this.#project.movedTo();
		if (moved !== undefined) return Promise.reject(new Error(movedAway(this.#options.cwd, moved)));
		const key = this.#key();
		const sandbox = this.#upToDate(key) ?? this.#open();
		this.#opened.delete(key);
		this.#opened.set(key, sandbox);
		// The next command tries again: the user may have changed what kept it from starting.
		sandbox.catch(() => {
			if (this.#opened.get(key) === sandbox) this.#opened.delete(key);
		});
		this.#current = sandbox;
		void sandbox.then((opened) => this.#ready.set(sandbox, opened)).catch(() => {});
		this.#endOldest();
		return sandbox;
	};

	/** Whether a path is one of the temporary files that commands see as their own, and that end with the session. */
	readonly isTemporary = (path: string): boolean => {
		if (!this.isWanted) return false;
		if (this.#temporary.has(path)) return true;
		const { env } = this.#options;
		const isMounted = knownSupport(env, dirs(env).cache)?.kind.startsWith("bubblewrap") === true;
		return isMounted && this.#temporary.find(path) !== undefined;
	};

	support(): Promise<SandboxSupport> {
		const { env } = this.#options;
		return sandboxSupport(env, dirs(env).cache);
	}

	/** Why commands of an agent cannot run in an overlay; undefined if they can. */
	async overlayProblem(): Promise<string | undefined> {
		if (!this.isWanted || (await this.support()).kind !== "landlock") return undefined;
		return "Commands cannot run in Landlock and in an overlay. Install bubblewrap.";
	}

	async profile(): Promise<SandboxProfile> {
		const { cwd, env, settings } = this.#options;
		const own = dirs(env);
		const { projectProfile } = await import("@tau/machines/sandbox/profile");
		return await projectProfile({
			cwd,
			home: own.home,
			writable: writablePaths(settings),
			// Variables may have moved them away from `~/.tau`.
			hidden: [...hiddenPaths(settings), own.config, own.agent, own.data, own.state, own.logs],
			network: this.#mayConnect
				? {
						allow: (host, port) => this.#allow(host, port),
						allowsLocal: (host, port) => this.#isNamed(host, port),
						localPorts: () => this.ports.localPorts(),
					}
				: "off",
			unixSockets: settings.get("sandbox.unixSockets"),
			searchPath: searchPath(env),
			settings: settingsVariables.flatMap((name) => readEnv(name, env) ?? []),
			gitUser: gitUser(realPath(own.home), env),
			envFile: readEnv("MISE_ENV_FILE", env),
			protected: this.#options.startedOutside?.() ?? [],
			cacheDir: join(own.cache, "sandbox"),
			isReadOnly: this.isReadOnly,
		});
	}

	/** Runs commands outside, where the user has allowed it. */
	get outside(): MachineShell {
		return (this.#options.tree?.machine ?? localMachine()).shell;
	}

	/** What a command was denied that ran here since a time of `performance.now()`. */
	async denials(output: string, cwd: string, since: number, command = ""): Promise<Denial[]> {
		const sandbox = await this.#current?.catch(() => undefined);
		if (!sandbox || !this.isWanted) return [];
		const { isLandlock = false } = sandbox;
		const refused = sandbox.refusedSince(since);
		const local = await this.ports.refusedLocal({ output, command }, sandbox);
		const { findDenials } = await denial();
		const others = findDenials({ output, cwd, refused, isLandlock }, sandbox.profile);
		return [...sandbox.disarmed(), ...local, ...others];
	}

	/** Whether a command may connect to a service on this machine's loopback; it can from then on. */
	async requestLocal(port: number): Promise<boolean> {
		return await this.ports.requestLocal(port, await this.#current?.catch(() => undefined));
	}

	/** Whether commands inside listen on this port of their loopback, which a browser inside shares. */
	isOwnPort(port: number): boolean {
		return this.isWanted && (this.#latest?.loopback?.listening().includes(port) ?? false);
	}

	/** Asks whether the command may run outside, unless only an earlier yes counts; never where a sandbox is required. */
	async requestOutside(
		command: string,
		why: string,
		signal: AbortSignal,
		onlyApproved = false,
	): Promise<boolean> {
		if (this.mode === "required") return false;
		return (await this.#options.policy?.requestOutside?.(command, why, signal, onlyApproved)) ?? false;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort();
		for (const opened of await Promise.allSettled(this.#opened.values()))
			if (opened.status === "fulfilled") await opened.value?.[Symbol.asyncDispose]();
		this.#temporary[Symbol.dispose]();
		this.#registered.dispose();
	}

	async #running(): Promise<CommandSandbox[]> {
		const opened = await Promise.allSettled(this.#opened.values());
		return opened.flatMap((each) => (each.status === "fulfilled" ? (each.value ?? []) : []));
	}

	/** One that no longer protects all is kept for what runs in it. */
	#upToDate(key: string): Promise<CommandSandbox | undefined> | undefined {
		const opened = this.#opened.get(key);
		const sandbox = opened && this.#ready.get(opened);
		if (opened === undefined || sandbox?.isOutdated !== true) return opened;
		sandbox.retire?.();
		this.#opened.delete(key);
		this.#opened.set(`${key} until ${++this.#outdated}`, opened);
		return undefined;
	}

	#endOldest(): void {
		const [oldest] = this.#opened;
		if (!oldest || this.#opened.size <= mostSandboxes) return;
		this.#opened.delete(oldest[0]);
		void oldest[1].then((sandbox) => sandbox?.[Symbol.asyncDispose]()).catch(() => {});
	}

	async #open(): Promise<CommandSandbox | undefined> {
		const support = await this.support();
		if (support.kind === "none" && this.mode !== "required") return undefined;
		if (support.kind === "none") throw new Error(withoutSandbox(support));
		const enter = this.#options.tree?.enter;
		if (support.kind !== "seatbelt" && support.kind !== "landlock") {
			const code = import("@tau/machines/sandbox/bubblewrap");
			const [profile, { Sandbox }] = await Promise.all([this.profile(), code]);
			return new Sandbox(profile, support, this.#temporary, enter);
		}
		const profile = await this.profile();
		if (support.kind === "seatbelt") {
			const { SeatbeltSandbox } = await import("@tau/machines/sandbox/seatbelt");
			return new SeatbeltSandbox(profile);
		}
		if (enter) throw new Error("Commands cannot run in Landlock and in an overlay. Install bubblewrap.");
		const { LandlockSandbox } = await import("@tau/machines/sandbox/landlock");
		return new LandlockSandbox(profile, this.#temporary);
	}

	/** The current one, once it is there. */
	get #latest(): CommandSandbox | undefined {
		return this.#current && this.#ready.get(this.#current);
	}

	get #approvalMode(): string | undefined {
		return this.#options.policy?.mode?.();
	}

	/** What a running sandbox cannot change: with another value the next command gets a new one. */
	#key(): string {
		const { settings } = this.#options;
		const { mode } = this;
		return JSON.stringify([
			mode,
			this.isReadOnly,
			settings.get("additionalDirectories"),
			settings.get("sandbox.writable"),
			hiddenPaths(settings),
			settings.get("sandbox.unixSockets"),
			this.#mayConnect,
			// A repository that has appeared is protected from then on.
			existsSync(join(this.#options.cwd, ".git")),
			// And so is a hidden entry of a home directory that is the project.
			this.#hiddenInProject(),
		]);
	}

	#hiddenInProject(): readonly string[] {
		const { cwd, env, settings } = this.#options;
		const { home } = dirs(env);
		const roots = [cwd, ...writablePaths(settings).map((path) => resolve(cwd, expandHome(path, home)))];
		return roots.some((root) => isWithin(realPath(home), realPath(root))) ? hiddenNames(home) : [];
	}

	/** Without a rule and without anyone to ask, every host is refused: then no proxy is started. */
	get #mayConnect(): boolean {
		const { settings, policy } = this.#options;
		const hasRules = settings.get("sandbox.network.allow").length > 0 || this.ports.hasRules;
		return hasRules || policy?.canAsk?.() === true;
	}

	#isNamed(host: string, port: number): boolean {
		const rules = this.#options.settings.get("sandbox.network.allow");
		return rules.some((rule) => matchesHost(rule, host, port));
	}

	async #allow(host: string, port: number): Promise<boolean> {
		if (this.#isNamed(host, port)) return true;
		const { policy } = this.#options;
		const isOpened = this.#isOpened?.(host);
		const by = isOpened === undefined ? "command" : isOpened ? "browser" : "command or page";
		return (await policy?.requestHost?.(host, port, this.#closing.signal, by)) ?? false;
	}
}

/** The command line and the environment win over the files; a project's file can only require it. */
export function sandboxMode({ env, settings }: Pick<SessionSandboxOptions, "env" | "settings">): SandboxMode {
	const named = readEnv("TAU_SANDBOX", env)?.toLowerCase();
	const own = sandboxModes.find((mode) => mode === named) ?? settings.getWithoutProject("sandbox.mode");
	return settings.get("sandbox.mode") === "required" ? "required" : own;
}

function movedAway(cwd: string, to: string): string {
	return `The project is no longer at ${cwd}: it was moved to ${to}. Start Tau there, or move it back.`;
}

/** Why no command runs, and what helps. */
function withoutSandbox({ kind, reason, fix }: SandboxSupport): string {
	const cause = reason ?? `this version of Tau cannot run commands in the ${kind} sandbox`;
	const help = fix === undefined ? "" : ` ${fix}`;
	return `A sandbox is required for commands (sandbox.mode: required), and there is none: ${cause}.${help} To run commands without one, set sandbox.mode to auto.`;
}

/** `example.org`, `*.example.org`, and either with a port; without one, those of the web. */
function matchesHost(rule: string, host: string, port: number): boolean {
	const [, name = "", wanted] = /^(.*?)(?::(\d+|\*))?$/.exec(rule.trim().toLowerCase()) ?? [];
	const matchesPort =
		wanted === undefined ? port === 80 || port === 443 : wanted === "*" || Number(wanted) === port;
	if (!matchesPort || name === "") return false;
	const asked = host.toLowerCase().replace(/\.$/, "");
	if (name === "*") return true;
	return name.startsWith("*.") ? asked.endsWith(name.slice(1)) : asked === name;
}

/** Without environments that are active for this session only: commands install into those as into the project. */
function searchPath(env: Env): string[] {
	const active = readEnv("VIRTUAL_ENV", env);
	const all = (readEnv("PATH", env) ?? "").split(delimiter);
	return all.filter(
		(path) => !path.endsWith("/node_modules/.bin") && (active === undefined || path !== join(active, "bin")),
	);
}

function writablePaths(settings: SessionSandboxOptions["settings"]): string[] {
	return [...settings.get("additionalDirectories"), ...settings.get("sandbox.writable")];
}

/** A project can hide more, not less. */
function hiddenPaths(settings: SessionSandboxOptions["settings"]): readonly string[] {
	return [...new Set([...settings.getWithoutProject("sandbox.hidden"), ...settings.get("sandbox.hidden")])];
}
