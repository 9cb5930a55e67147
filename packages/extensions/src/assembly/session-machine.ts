/** The machine that a session works on: this one, or another over ssh. It may be switched while the session is open. */
import { join } from "node:path";

import type { RunContext, UserRequests } from "@tau/session/host";
import type { Settings } from "@tau/config/settings";
import type { SessionSandbox } from "@tau/session/sandbox";
import { localMachine, withBuffers, type EditorBuffers, type Machine } from "@tau/sys";
import { withSandbox } from "@tau/machines/sandbox";
import type { IsolatedTree } from "@tau/machines/isolation";
import type { ToolEnv } from "@tau/tools/tool";
import type {
	AskUser,
	ConfiguredHosts,
	ConnectionOptions,
	ConnectionState,
	SshDestination,
	SshMachine,
} from "@tau/machines/ssh";
import { onDispose, type Env } from "@tau/utils";
import type { MachineFacts } from "@tau/wire";

import { discoveryPaths } from "@tau/resources/sources";

export interface SessionMachineParts {
	/** The directory of the project on this machine. */
	cwd: string;
	/** Of ssh: the user's agent, home and PATH. */
	env: Env;
	settings: Pick<Settings, "get">;
	/** Asks for passwords, and about unknown host keys. */
	requests: UserRequests;
	/** The files of this machine that the user has open in an editor. */
	buffers?: EditorBuffers | undefined;
	/** Whether hosts of the project's own ssh.json count. */
	isTrusted(): boolean;
	onNotice(message: string): void;
}

export interface RemoteMachine {
	/** `ssh:host:/path`. */
	readonly address: string;
	/** The name of the host. */
	readonly name: string;
	readonly machine: Machine;
	/** Where tools work there. */
	readonly cwd: string;
	readonly home: string;
	/** The median of the last round trips in milliseconds. */
	readonly latencyMs: number | undefined;
	readonly state: ConnectionState;
	/** Measures one round trip. */
	ping(signal?: AbortSignal): Promise<number>;
	/** What a call that works there is judged by. */
	readonly judged: SshMachine["judged"];
}

export class SessionMachine implements AsyncDisposable {
	readonly #parts: SessionMachineParts;
	readonly #listeners = new Set<() => void>();
	#current: RemoteMachine | undefined;
	#opened: SshMachine | undefined;

	constructor(parts: SessionMachineParts) {
		this.#parts = parts;
	}

	get buffers(): EditorBuffers | undefined {
		return this.#parts.buffers;
	}

	/** Undefined on this machine. */
	get current(): RemoteMachine | undefined {
		return this.#current;
	}

	/** The same, as clients see it. */
	get facts(): MachineFacts | undefined {
		if (!this.#current) return undefined;
		const { name, address, cwd, state, latencyMs } = this.#current;
		const isConnected = state === "connected";
		return { name, address, cwd, isConnected, ...(latencyMs === undefined ? {} : { latencyMs }) };
	}

	/** Measures how fast it answers. */
	async measure(): Promise<void> {
		if (this.#current?.state !== "connected") return;
		await this.#current.ping();
		this.#emit();
	}

	/** Called when the connection is lost or there again, and when the machine was switched. */
	onChange(listener: () => void): Disposable {
		this.#listeners.add(listener);
		return onDispose(() => this.#listeners.delete(listener));
	}

	/** Connects, and works there from the next run on. Rejects with a readable reason; nothing has changed then. */
	async connect(address: string, signal: AbortSignal): Promise<RemoteMachine> {
		const ssh = await import("@tau/machines/ssh");
		const parsed = ssh.parseAddress(address);
		if (!parsed) throw new Error(`Not a machine: ${address}. Use ssh:host or ssh:host:/path.`);
		const known = (await this.hosts()).hosts.find(({ name }) => name === parsed.destination);
		const opened = await ssh.openSshMachine(
			this.options(known ?? ssh.namedDestination(parsed.destination)),
			parsed.path,
			signal,
		);
		await this.disconnect();
		this.#opened = opened;
		const { machine, connection, cwd, home } = opened;
		this.#current = {
			address: `ssh:${parsed.destination}:${cwd}`,
			name: connection.name,
			machine,
			cwd,
			home,
			get latencyMs() {
				return connection.latencyMs;
			},
			get state() {
				return connection.state;
			},
			ping: (within) => connection.ping(within),
			judged: opened.judged,
		};
		this.#emit();
		return this.#current;
	}

	/** Back to this machine. */
	async disconnect(): Promise<void> {
		const opened = this.#opened;
		this.#opened = undefined;
		this.#current = undefined;
		await opened?.[Symbol.asyncDispose]();
		this.#emit();
	}

	hosts(): Promise<ConfiguredHosts> {
		return configuredMachines(this.#parts);
	}

	/** How a host is connected to: with the user's own OpenSSH, and the user to ask. */
	options(destination: SshDestination): ConnectionOptions {
		const { env, settings, requests } = this.#parts;
		return {
			destination,
			env,
			config: settings.get("ssh.config"),
			...(requests.canAsk("dialog") ? { ask: askFor(requests, destination.name) } : {}),
			onState: (state) => this.#onState(destination.name, state),
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#listeners.clear();
		await this.disconnect();
	}

	#onState(name: string, state: ConnectionState): void {
		if (state === "lost")
			this.#parts.onNotice(
				`The connection to ${name} was lost. What runs there goes on; Tau connects again.`,
			);
		this.#emit();
	}

	#emit(): void {
		for (const listener of this.#listeners) listener();
	}
}

/** In a tree, a command that no sandbox holds still sees the tree and nothing else. */
export function sessionMachine(
	{ tree, remote }: { tree?: IsolatedTree | undefined; remote?: SessionMachine | undefined },
	sandbox: SessionSandbox,
	cwd: string,
): Machine {
	if (!tree?.enter) {
		const machine = withSandbox(localMachine(), sandbox.launcher, cwd);
		// The editor knows nothing of an agent's own tree.
		return remote?.buffers && !tree ? withBuffers(machine, remote.buffers) : machine;
	}
	const { launcher } = tree.enter;
	return withSandbox(tree.machine, () => {
		const current = sandbox.launcher();
		return current instanceof Promise ? current.then((held) => held ?? launcher) : (current ?? launcher);
	});
}

/** A run works on the machine that was chosen when it began. */
export function onRemote<P extends { machine?: Machine | undefined; remote?: SessionMachine | undefined }>(
	parts: P,
	context: RunContext,
): [P, RunContext] {
	const remote = parts.remote?.current;
	if (!remote) return [parts, context];
	return [
		{ ...parts, machine: remote.machine },
		{ ...context, cwd: remote.cwd },
	];
}

/** For programs of this machine, such as hooks and MCP servers: they start in the project here, wherever the tools work. */
export function localEnv(env: ToolEnv, { log }: Pick<RunContext, "log">): ToolEnv {
	if (env.machine.where.kind !== "ssh") return env;
	// Not a copy: some members are getters.
	return Object.create(env, { cwd: { value: log.getCwd() } }) as ToolEnv;
}

/** The words are those of ssh; the answer goes to ssh alone. */
function askFor(requests: UserRequests, name: string): AskUser {
	return async ({ prompt, kind }, signal) => {
		const title = prompt.trim();
		if (kind === "secret") {
			const dialog = { method: "input", title: `ssh ${name}: ${title}`, secret: true } as const;
			const answer = await requests.ask("dialog", { dialog }, { signal, from: { tool: "ssh" } });
			return answer && "value" in answer ? answer.value : undefined;
		}
		const dialog = { method: "confirm", title: `ssh ${name}`, message: title } as const;
		const answer = await requests.ask("dialog", { dialog }, { signal, from: { tool: "ssh" } });
		return answer && "confirmed" in answer && answer.confirmed ? "yes" : undefined;
	};
}

/** The hosts that the user has configured, and those of a project that the user trusts. */
export async function configuredMachines({
	cwd,
	env,
	settings,
	isTrusted,
}: Pick<SessionMachineParts, "cwd" | "env" | "settings" | "isTrusted">): Promise<ConfiguredHosts> {
	const { configuredHosts } = await import("@tau/machines/ssh");
	const { directories, agentDir, home } = discoveryPaths(cwd, env);
	const projects = isTrusted()
		? directories.flatMap((directory) =>
				[".tau/ssh.json", ".omp/ssh.json", "ssh.json", ".ssh.json"].map((name) => join(directory, name)),
			)
		: [];
	return configuredHosts({
		// A project must not give the name of one of the user's hosts to another.
		files: [join(agentDir, "ssh.json"), join(home, ".omp/agent/ssh.json"), ...projects],
		config: settings.get("ssh.config") ?? join(home, ".ssh/config"),
		home,
	});
}
