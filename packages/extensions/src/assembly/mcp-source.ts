/** The MCP servers of a run: what a session needs of them is loaded when there are any. */
import { join } from "node:path";

import type { CredentialStore } from "@tau/ai";
import type { Behavior, Prompt, SessionHandle } from "@tau/session";
import type { UserRequests } from "@tau/session/host";
import type { Settings } from "@tau/config/settings";
import { dirs, onDispose, shortenHome, timer, type Env } from "@tau/utils";

import { projectRoot } from "@tau/resources/context-files";
import { Switches, describeWarnings, type Warning, isInside, realOf } from "@tau/resources/discovery";
import { type RegisteredServers, commandsOf, targetOf } from "@tau/resources/mcp/definitions";
import type {
	BindingParts,
	ListedServer,
	McpPrompt,
	McpResource,
	McpServers,
	SessionBinding,
} from "@tau/resources/mcp";
import { mcpServers, type McpServer } from "../resources/capabilities.ts";
import { mcpFiles } from "../resources/providers.ts";
import { standardRegistry } from "../resources/standard-registry.ts";
import { discoveryPaths, type DiscoveryPaths } from "@tau/resources/sources";
import { serverCode } from "../trust/project-code.ts";
import { isTrusted, trustOf } from "../trust/trust.ts";
import { FileWatch } from "./file-watch.ts";
import type { AskTrust } from "./open-hooks.ts";

export interface McpSourceOptions {
	cwd: string;
	/** The environment that locates the user's files. */
	env: Env;
	/** The environment of servers, without the keys of providers. */
	serverEnv(): Env;
	settings: Pick<Settings, "get">;
	store: CredentialStore;
	/** Those that the session's client brings; they come before those of files. */
	given?: RegisteredServers | undefined;
	/** The user has trusted the project for this run, such as with `--trust`. */
	isTrusted: boolean;
	/** False for a client that only changes files, or tests one server: then a server starts when it is tested. */
	startsAll?: boolean;
	/** Whether the client stays after an answer: then servers start after its first frame, and files are watched. */
	staysOpen: boolean;
	openUrl(url: string): boolean;
	onNotice(message: string): void;
}

/** A launch takes all of a busy machine. A prompt, or a user who looks at the servers, does not wait for this. */
const startDelayMs = 1_000;

interface SessionParts extends Pick<BindingParts, "registry" | "env" | "requests" | "isUnasked"> {
	/** Those of the session's extensions. */
	registered?(): RegisteredServers | undefined;
}

/** Where servers come from that no file defines. */
const extensionSource = "extension";

type ServerOfFile = Pick<McpServer, "name" | "origin" | "config">;

interface Attached {
	parts: SessionParts;
	registered?: RegisteredServers | undefined;
	session: SessionHandle;
	owned: DisposableStack;
	binding?: SessionBinding;
}

export class McpSource implements AsyncDisposable {
	readonly #options: McpSourceOptions;
	readonly #attached = new Set<Attached>();
	readonly #owned = new DisposableStack();
	/** Definitions that may start in this run, with the files of the project that they run, as they were then. */
	readonly #allowed = new Map<string, string>();
	/** Those that the user did not allow. */
	readonly #declined = new Map<string, string>();
	#asksAgain = true;
	#requests: UserRequests | undefined;
	#servers: Promise<McpServers> | undefined;
	#loaded: McpServers | undefined;
	#begun: Promise<void> | undefined;
	#isFirst = true;
	#hasRegistered = false;
	#watched: FileWatch | undefined;
	#found: McpServer[] | undefined;
	/** What discovery has found last, and what it had to complain about. */
	#known: McpServer[] = [];
	#problem: string | undefined;

	constructor(options: McpSourceOptions) {
		this.#options = options;
	}

	/** Files of the project with servers that wait for its trust. */
	async untrusted(): Promise<string[]> {
		const { settings } = this.#options;
		if (!settings.get("mcp.enabled") || this.#isTrusted()) return [];
		const ofProject = (await this.#discover({ onlyProject: true })).filter(({ isOff }) => !isOff);
		return [...new Set(ofProject.map(({ origin }) => origin.path))];
	}

	/** How many servers are defined and not switched off by name, whether or not they may start. */
	async countDefined(): Promise<number> {
		return (await this.#discover()).filter(({ isOff }) => !isOff).length;
	}

	/** Asks about the servers of the project, where that is needed and possible; says what does not start. */
	async confirm(askTrust: AskTrust | undefined, onWithheld: (part: string) => void): Promise<void> {
		const { cwd, env } = this.#options;
		const files = await this.untrusted();
		if (files.length === 0 || (await askTrust?.(files))) return;
		// A user who refused trust gets no notice about it at each start.
		if (askTrust !== undefined && trustOf(cwd, dirs(env).agent) === false) return;
		onWithheld(`MCP servers (${files.map((path) => shortenHome(path)).join(", ")})`);
	}

	/** What a session adds to itself. */
	behavior(parts: SessionParts): Behavior {
		return { name: "mcp", attach: (session) => this.#attach(parts, session) };
	}

	/** Fills in what a prompt of this session takes from servers: their prompts, and resources that it mentions. */
	async expand(prompt: Prompt, parts: Pick<SessionParts, "registry">, signal: AbortSignal): Promise<Prompt> {
		if (!/^\s*\/[\w.-]+:|@mcp:\/\//.test(prompt.text)) return prompt;
		await this.#begin();
		const attached = [...this.#attached].find((one) => one.parts.registry === parts.registry);
		return (await attached?.binding?.expand(prompt, signal)) ?? prompt;
	}

	/** The prompts of servers that are ready, for menus. */
	get prompts(): readonly McpPrompt[] {
		return this.#loaded?.prompts ?? [];
	}

	/** The resources of servers that are ready, for menus. */
	get resources(): readonly McpResource[] {
		return this.#loaded?.resources ?? [];
	}

	/** The servers, for views and commands. */
	async manager(): Promise<McpServers> {
		const servers = await (this.#servers ??= this.#load());
		await servers.start();
		return servers;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#owned.dispose();
		await (await this.#servers)?.[Symbol.asyncDispose]();
	}

	#attach(parts: SessionParts, session: SessionHandle): Disposable {
		const { settings, staysOpen } = this.#options;
		if (!settings.get("mcp.enabled")) return onDispose(() => {});
		this.#requests ??= parts.requests;
		const registered = parts.registered?.();
		const attached: Attached = { parts, registered, session, owned: new DisposableStack() };
		this.#attached.add(attached);
		if (registered) attached.owned.use(registered.onChange(() => void this.#reload()));
		// The extensions of the last session may have registered others.
		if (this.#hasRegistered) void this.#reload();
		attached.owned.defer(() => this.#attached.delete(attached));
		attached.owned.use(
			session.beforePrompt(async () => {
				await this.#begin();
				await attached.binding?.prepare();
			}),
		);
		if (this.#servers) void this.#servers.then((servers) => this.#bind(servers, attached));
		else if (staysOpen) this.#owned.use(timer(startDelayMs, () => void this.#begin()));
		else void this.#begin();
		return attached.owned;
	}

	/** Without a server nothing more is loaded. */
	#begin(): Promise<void> {
		this.#begun ??= this.#findAll().then(async (found) => {
			this.#watch();
			if (found.length === 0) {
				// Whatever the project adds from now on, perhaps by the model's hand, is new.
				this.#isFirst = false;
				return;
			}
			// A manager that was created by another caller looks by itself.
			if (!this.#servers) this.#found = found;
			await this.manager();
		});
		return this.#begun;
	}

	/** Changes of the files apply to the running session, also those of other programs. */
	#watch(): void {
		const { cwd, env, staysOpen } = this.#options;
		if (!staysOpen || this.#owned.disposed || this.#watched) return;
		const files = mcpFiles(discoveryPaths(cwd, env));
		this.#watched = this.#owned.use(new FileWatch(files, () => void this.#reload()));
	}

	async #reload(): Promise<void> {
		if (!this.#servers && (await this.#findAll()).length === 0) return;
		const isNew = this.#servers === undefined;
		const servers = await this.manager();
		if (isNew) return;
		// Some programs write their file all the time: what the user has declined is not asked about each time.
		this.#asksAgain = false;
		try {
			await servers.reload();
		} finally {
			this.#asksAgain = true;
		}
	}

	async #load(): Promise<McpServers> {
		// Whoever sees a server can rely on changes of its file being noticed.
		this.#watch();
		const { McpServers: Servers, configFiles } = await import("@tau/resources/mcp");
		const { cwd, env, serverEnv, settings, store, startsAll = true, openUrl, onNotice } = this.#options;
		const files = { user: join(dirs(env).agent, "mcp.json"), project: join(cwd, ".tau/mcp.json") };
		const servers = new Servers({
			cwd,
			env: serverEnv(),
			settings,
			store,
			find: () => this.#find(files.user),
			files: configFiles(files),
			mayStart: (server) => this.#mayStart(server, false),
			startsAll,
			openUrl,
			onNotice,
		});
		this.#loaded = servers;
		for (const attached of this.#attached) this.#bind(servers, attached);
		return servers;
	}

	#bind(servers: McpServers, attached: Attached): void {
		const { env, openUrl, settings } = this.#options;
		if (attached.owned.disposed || attached.binding) return;
		const binding = servers.bind(
			{
				...attached.parts,
				openUrl,
				fingerprintFile: join(dirs(env).state, "mcp-tools.json"),
				trustedServers: () => settings.get("mcp.trustedServers"),
			},
			attached.session,
		);
		attached.owned.use(binding);
		attached.binding = binding;
	}

	async #find(userFile: string): Promise<ListedServer[]> {
		const { readSwitches } = await import("@tau/resources/mcp");
		// The manager is loaded because of what was just found.
		const found = this.#found ?? (await this.#findAll());
		this.#found = undefined;
		const { disabled, enabled } = readSwitches(userFile);
		const isFirst = this.#isFirst;
		this.#isFirst = false;
		const listed: ListedServer[] = [];
		for (const { name, origin, config } of found) {
			const isOn = !disabled.includes(name) && (config.enabled || enabled.includes(name));
			const server = { name, origin, config: { ...config, enabled: isOn } };
			listed.push({ ...server, isUntrusted: isOn && !(await this.#mayStart(server, isFirst)) });
		}
		return listed;
	}

	/**
	 * A definition that a project adds or changes while Tau runs is asked about, whatever was answered before. So is a file
	 * of the project that a server runs, at each of its starts: servers run outside of the sandbox, and the model may have
	 * written it.
	 */
	async #mayStart({ name, origin, config }: ServerOfFile, isFirst: boolean): Promise<boolean> {
		const { cwd } = this.#options;
		// The code that has registered it is trusted, and could start it itself.
		if (origin.source === extensionSource) return true;
		const isOfProject = origin.level === "project";
		if (isOfProject && !this.#isTrusted()) return false;
		const { command, args, env, envFile, cwd: directory, url, headers } = config;
		const key = JSON.stringify([name, command, args, env, envFile, directory, url, headers]);
		const code = JSON.stringify(serverCode([command, args, env, envFile, headers], cwd, directory));
		const known = this.#allowed.get(key);
		// A file of the user may be a link into the project.
		const isNews = known === undefined ? isOfProject || isInProject(origin.path, cwd) : known !== code;
		if (isNews && !isFirst) {
			if (!this.#asksAgain && this.#declined.get(key) === code) return false;
			this.#declined.set(key, code);
			if (!(await this.#askAbout({ name, origin, config }))) return false;
		}
		this.#declined.delete(key);
		this.#allowed.set(key, code);
		return true;
	}

	async #askAbout({ name, origin, config }: ServerOfFile): Promise<boolean> {
		const { cwd, env } = this.#options;
		const commands = commandsOf(config).map((command) => `${name}: ${command}`);
		const answer = await this.#requests?.ask("trust", {
			project: cwd,
			runs: [{ path: origin.path, kind: "changed", commands }],
		});
		if (answer?.trusted && answer.remember && !this.#options.isTrusted) {
			const { trustServers } = await import("../trust/partial-trust.ts");
			trustServers(cwd, dirs(env).agent, origin.path);
		}
		return answer?.trusted === true;
	}

	#isTrusted(): boolean {
		const { cwd, env, isTrusted: isTrustedForRun } = this.#options;
		return isTrustedForRun || isTrusted(cwd, dirs(env).agent);
	}

	/** Those of the client, those of files, and those of extensions, whose names must be free. */
	async #findAll(): Promise<McpServer[]> {
		const registered = [...this.#attached].flatMap((each) => each.registered?.servers ?? []);
		this.#hasRegistered ||= registered.length > 0;
		const given = this.#options.given?.servers ?? [];
		const found = [
			...given.map(registeredServer),
			...(await this.#discover()),
			...registered.map(registeredServer),
		];
		return [...new Map(found.toReversed().map((server) => [server.name, server])).values()].toReversed();
	}

	async #discover({ onlyProject = false }: { onlyProject?: boolean } = {}): Promise<McpServer[]> {
		const { cwd, env, settings, onNotice } = this.#options;
		const paths = discoveryPaths(cwd, env, { isTrusted: this.#isTrusted() });
		const switches = new Switches(settings.get("discovery.disabled"));
		const searched: DiscoveryPaths = onlyProject
			? {
					...paths,
					has: (directory, name) => paths.directories.includes(directory) && paths.has(directory, name),
				}
			: paths;
		const { items, warnings } = await standardRegistry().load(mcpServers, searched, switches);
		if (onlyProject) return items.filter(({ origin }) => origin.level === "project");
		const problem = describeWarnings(warnings);
		if (problem !== undefined && problem !== this.#problem) onNotice(`MCP servers: ${problem}`);
		this.#problem = problem;
		this.#known = [...items, ...this.#unreadable(items, warnings)];
		return [...this.#known];
	}

	/** A file that cannot be read now, perhaps because it is being written, keeps the servers that it had. */
	#unreadable(items: readonly McpServer[], warnings: readonly Warning[]): McpServer[] {
		const broken = new Set(warnings.filter(({ isLeftOut }) => isLeftOut).map(({ path }) => path));
		for (const { origin } of items) broken.delete(origin.path);
		const names = new Set(items.map(({ name }) => name));
		return this.#known.filter(({ name, origin }) => broken.has(origin.path) && !names.has(name));
	}
}

function registeredServer({
	name,
	config,
	extensionPath: path,
}: RegisteredServers["servers"][number]): McpServer {
	const origin = { source: extensionSource, level: "user", path } as const;
	const target = config.command ?? targetOf(config);
	return { name, origin, config, transport: config.transport, target, isOff: !config.enabled };
}

function isInProject(file: string, cwd: string): boolean {
	const root = realOf(projectRoot(cwd));
	const real = realOf(file);
	return root !== undefined && real !== undefined && isInside(real, root);
}
