/** Extensions in a real session for tests: real files, the real loader, only the model is played. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { CredentialStore } from "@tau/ai";
import { provideApplication } from "@tau/coding-agent/testing";
import { virtualModules } from "@tau/compat";
import type { ExtensionMode } from "@tau/extensions/api";
import { openSession, type SessionParts } from "@tau/extensions/assembly";
import { Extensions } from "@tau/extensions/host";
import { plainTheme, printMode, type ExtensionUI } from "@tau/extensions/ui";
import { SessionManager } from "@tau/log";
import type { AgentSession, SessionEvent } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import { openRegistry, storedLogins } from "@tau/config/models";
import { Settings, type SettingPath } from "@tau/config/settings";
import type { Machine } from "@tau/sys";
import { builtinTools } from "@tau/integrations/builtin";

import { fixedBoundary } from "./launch.ts";
import { smallWindow } from "./compaction.ts";
import { useTestSettings } from "./host.ts";

/** The model that is played, as far as a stage needs it. */
interface Played extends AsyncDisposable {
	readonly anthropicUrl: string;
	readonly requests: readonly {
		readonly rawBody: string;
		readonly body: unknown;
		readonly headers: Readonly<Record<string, string>>;
	}[];
}

export interface ExtensionFixture extends AsyncDisposable {
	readonly played: Played;
	readonly session: AgentSession;
	readonly log: SessionManager;
	readonly extensions: Extensions;
	readonly credentials: CredentialStore;
	readonly cwd: string;
	readonly agentDir: string;
	/** Where the sources of the test lie. */
	readonly folder: string;
	readonly events: SessionEvent[];
	/** What extensions showed and asked, as `method: …`. */
	readonly shown: string[];
	/** Resolves when extensions have shown something with this text. */
	until(words: string): Promise<void>;
	/** What was reported to the user while loading. */
	readonly notices: string[];
	prompt(text: string): Promise<void>;
	/** The request of this number, as sent to the model. */
	request(index: number): string;
	/** Continues in the next session of the log, as a mode does. */
	next(): AgentSession;
}

export interface ExtensionFixtureOptions {
	/** Sources by file name; they are loaded in this order. */
	files?: Readonly<Record<string, string>>;
	/** Files that exist already. */
	paths?: readonly string[];
	/** Files that are discovered, in `home/…` and `work/…`; programs can be run. */
	found?: Readonly<Record<string, string>>;
	model?: string;
	tools?: readonly string[];
	flags?: ReadonlyMap<string, string | boolean>;
	/** The answer to a dialog; without it there is no user. */
	answer?(method: string, title: string): unknown;
	deadline?: { slowMs: number; limitMs: number };
	/** How long the session waits for extensions that load; for all of them without it. */
	graceMs?: number;
	log?: SessionManager;
	mode?: Partial<ExtensionMode>;
	contextWindow?: number;
	/** The text of config.yml. */
	settings?: string;
	/** Whether a conversation that grows too long is compacted automatically; true by default. */
	autoCompaction?: boolean;
	/** Whether code of the project may run; not by default. */
	isTrusted?: boolean;
	/** Where the tools work; here without it. */
	machine?: Machine;
	/** How often a failed answer is retried, without a pause. */
	retries?: number;
}

/** Tests choose how the model is played: `extensionFixtureWith(playModel)`. */
export function extensionFixtureWith<S>(
	play: (scenario: S) => Promise<Played>,
): (scenario: S, options?: ExtensionFixtureOptions) => Promise<ExtensionFixture> {
	return async (scenario, options = {}) => {
		await using owned = new AsyncDisposableStack();
		const played = owned.use(await play(scenario));
		const base = mkdtempSync(join(tmpdir(), "tau-extensions-"));
		owned.defer(() => rmSync(base, { recursive: true, force: true }));
		const workspace = await openWorkspace(base, played, options, owned);
		const events: SessionEvent[] = [];
		let session = workspace.create(events);
		owned.defer(() => session[Symbol.asyncDispose]());
		const { extensions, ...facts } = workspace;
		owned.use(extensions);
		const shown = new Shown();
		const ui = options.answer ? { ui: recordingUI(shown, options.answer), hasUI: true } : {};
		const quiet = printMode((message) => shown.add(`notify: ${message}`));
		await extensions.start({ ...quiet, ...ui, ...options.mode });
		const kept = owned.move();
		return {
			...facts,
			extensions,
			played,
			events,
			shown: shown.lines,
			until: (words) => shown.until(words),
			get session() {
				return session;
			},
			prompt: async (text) => {
				await session.prompt({ text });
				await session.waitForIdle();
			},
			request: (index) => played.requests[index]?.rawBody ?? "",
			next: () => {
				session[Symbol.dispose]();
				session = workspace.create(events);
				return session;
			},
			[Symbol.asyncDispose]: () => kept.disposeAsync(),
		};
	};
}

interface Workspace extends Pick<
	ExtensionFixture,
	"cwd" | "agentDir" | "folder" | "log" | "notices" | "extensions" | "credentials"
> {
	create(events: SessionEvent[]): AgentSession;
}

async function openWorkspace(
	base: string,
	{ anthropicUrl }: Played,
	options: ExtensionFixtureOptions,
	owned: AsyncDisposableStack,
): Promise<Workspace> {
	const [home, cwd, folder] = [join(base, "home"), join(base, "work"), join(base, "extensions")];
	const agentDir = join(home, ".tau/agent");
	for (const directory of [agentDir, cwd, folder]) mkdirSync(directory, { recursive: true });
	writeFileSync(join(agentDir, "models.yml"), modelsFile(anthropicUrl));
	const explicit = [...(options.paths ?? []), ...write(folder, options.files ?? {})];
	write(base, options.found ?? {});
	const notices: string[] = [];
	const onNotice = (message: string): void => void notices.push(message);
	const nothing = {
		configured: [],
		disabled: [],
		withDiscovery: options.found !== undefined,
		isTrusted: options.isTrusted ?? false,
	};
	if (options.settings !== undefined) writeFileSync(join(agentDir, "config.yml"), options.settings);
	const settings = await Settings.load({ cwd, agentDir });
	const getSetting = (path: string): unknown => settings.get(path as SettingPath);
	const { deadline, graceMs } = options;
	const waits = { ...(deadline ? { deadline } : {}), ...(graceMs === undefined ? {} : { graceMs }) };
	provideApplication();
	const extensions = await Extensions.load({
		modules: virtualModules,
		cwd,
		home,
		agentDir,
		explicit,
		cacheDir: join(base, "cache"),
		...nothing,
		onNotice,
		getSetting,
		...waits,
	});
	if (options.flags) extensions.setFlags(options.flags);
	const env = { ...process.env, HOME: home, TAU_CODING_AGENT_DIR: agentDir };
	const store = owned.use(await CredentialStore.open({ path: join(agentDir, "agent.db"), env, onNotice }));
	const registry = await openRegistry({ env, settings, ...storedLogins(store), onNotice });
	extensions.provide(registry);
	const model = registry.find(options.model ?? "played/played-1");
	if (!model) throw new Error(`There is no model ${options.model}.`);
	const log = options.log ?? SessionManager.inMemory(cwd);
	const { tools = ["read", "write", "bash"] } = options;
	const compaction = { ...smallWindow, enabled: options.autoCompaction ?? true };
	await useTestSettings(settings, { compaction, retries: options.retries });
	const parts: SessionParts = {
		env,
		settings,
		store,
		registry,
		model: { ...model, contextWindow: options.contextWindow ?? model.contextWindow },
		log,
		hasOwnKey: false,
		prompt: {},
		tools: builtinTools.filter(({ name }) => tools.includes(name)),
		staysOpen: smallWindow.afterAnswer,
		extensions,
		machine: options.machine,
		policy: { env: { ...env, ...fixedBoundary } },
		onNotice,
	};
	const hosts: SessionHost[] = [];
	// A host has what outlives its runs, such as the watch on the files.
	owned.defer(async () => {
		for (const host of hosts) await host[Symbol.asyncDispose]();
	});
	const create = (events: SessionEvent[]): AgentSession => {
		const host = openSession(parts);
		hosts.push(host);
		const { session } = host;
		session.subscribe((event) => void events.push(event));
		return session;
	};
	return { cwd, agentDir, folder, log, notices, extensions, credentials: store, create };
}

function modelsFile(baseUrl: string): string {
	const models = [{ id: "played-1", name: "Played", contextWindow: 200_000, maxTokens: 16_384 }];
	const played = { baseUrl, api: "anthropic-messages", auth: "none", models };
	return JSON.stringify({ providers: { played } });
}

function write(folder: string, files: Readonly<Record<string, string>>): string[] {
	for (const [name, text] of Object.entries(files)) {
		const path = join(folder, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text, { mode: text.startsWith("#!") ? 0o755 : 0o644 });
	}
	// Helpers lie in directories of their own.
	return Object.keys(files).flatMap((name) => (name.includes("/") ? [] : [join(folder, name)]));
}

/** What extensions have shown, and who waits for it. */
class Shown {
	readonly lines: string[] = [];
	#changed = Promise.withResolvers<void>();

	add(line: string): void {
		this.lines.push(line);
		this.#changed.resolve();
		this.#changed = Promise.withResolvers<void>();
	}

	async until(words: string): Promise<void> {
		while (!this.lines.some((line) => line.includes(words))) await this.#changed.promise;
	}
}

function recordingUI(shown: Shown, answer: (method: string, title: string) => unknown): ExtensionUI {
	const members: Record<string, unknown> = {
		theme: plainTheme,
		getEditorText: () => "",
		getAllThemes: () => [],
	};
	const dialogs = new Set(["select", "confirm", "input", "editor", "custom", "askDialog"]);
	return new Proxy(members as unknown as ExtensionUI, {
		get(target, name) {
			if (name in target) return Reflect.get(target, name);
			return (...given: unknown[]): unknown => {
				// Of content that is not text, the lines of a widget are what a user would see.
				const seen = name === "setWidget" ? given.flat() : given;
				shown.add(`${String(name)}: ${seen.filter((each) => typeof each === "string").join(" | ")}`);
				return dialogs.has(String(name))
					? Promise.resolve(answer(String(name), String(given[0])))
					: undefined;
			};
		},
	});
}

/** An answer of the model that calls one tool. */
export function callOf(name: string, args: Record<string, unknown> = {}) {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}
