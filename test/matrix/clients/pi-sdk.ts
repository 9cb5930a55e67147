/** pi's SDK: a program written for `@earendil-works/pi-coding-agent`, which Tau's own modules answer for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { virtualModules } from "@tau/compat";

import { Unsupported } from "../client.ts";
import type { Client, ClientSession, Lane, OpenOptions, SessionEventFrame, Stats } from "../client.ts";
import { until, type Home } from "../home.ts";

export const piSdk: Client = {
	name: "pi-sdk",
	lacks: {
		switchTools: "has setActiveToolsByName, which is the call that extensions have too",
		retry: "has the methods of pi, which retries by itself",
		rewind: "has the methods of pi, which keeps no files",
		context: "has the methods of pi, which has neither",
		agents: "has the methods of pi, which has no agents",
		background: "has the methods of pi, which has no background jobs",
	},
	open: async (home, options) => PiSdkSession.open(home, options),
};

/** What this driver uses of pi's documented SDK. */
interface PiModule {
	SessionManager: {
		create(cwd: string, directory?: string): PiLog;
		open(path: string): PiLog;
	};
	createAgentSessionRuntime(
		create: (target: PiTarget) => Promise<unknown>,
		options: PiTarget,
	): Promise<PiRuntime>;
	createAgentSessionServices(options: object): Promise<PiServices>;
	createAgentSessionFromServices(options: object): Promise<object>;
}

interface PiLog {
	getLeafId(): string | null;
}

interface PiTarget {
	cwd: string;
	agentDir: string;
	sessionManager: PiLog;
}

interface PiServices {
	settingsManager: { applyOverrides(settings: object): void };
}

interface PiRuntime {
	readonly session: PiSession;
	readonly services: PiServices;
	setRebindSession(rebind: (session: PiSession) => Promise<void>): void;
	newSession(): Promise<unknown>;
	switchSession(path: string): Promise<unknown>;
	fork(entryId: string, options: { position: "at" }): Promise<unknown>;
	dispose(): Promise<void>;
}

interface PiSession {
	readonly sessionFile: string | undefined;
	readonly sessionManager: PiLog;
	readonly modelRegistry: { find(provider: string, id: string): unknown };
	bindExtensions(bindings: { uiContext: object }): Promise<void>;
	subscribe(listener: (event: SessionEventFrame) => void): () => void;
	prompt(text: string): Promise<void>;
	steer(text: string): Promise<unknown>;
	followUp(text: string): Promise<unknown>;
	setModel(model: unknown): Promise<void>;
	setThinkingLevel(level: string): void;
	setSessionName(name: string): void;
	executeBash(command: string): Promise<unknown>;
	compact(): Promise<unknown>;
	abort(): Promise<void>;
	abortBash(): void;
	waitForIdle(): Promise<void>;
	getSessionStats(): {
		userMessages: number;
		assistantMessages: number;
		tokens: { input: number; output: number };
	};
	exportToHtml(path: string): Promise<string>;
}

async function piModule(): Promise<PiModule> {
	await virtualModules.install();
	const name = "@earendil-works/pi-coding-agent";
	return await import(name);
}

interface Dialog {
	readonly options: readonly string[];
	resolve(answer: string | undefined): void;
}

class PiSdkSession implements ClientSession {
	readonly #home: Home;
	readonly #runtime: PiRuntime;
	readonly events: SessionEventFrame[] = [];
	readonly #notices: string[] = [];
	readonly #dialogs: Dialog[] = [];
	#running: Promise<void> = Promise.resolve();

	private constructor(home: Home, runtime: PiRuntime) {
		this.#home = home;
		this.#runtime = runtime;
	}

	static async open(home: Home, options: OpenOptions = {}): Promise<PiSdkSession> {
		const { resume, withoutTools } = options;
		const pi = await piModule();
		// As in pi's documentation: only the first session gets its model explicitly.
		let model = options.model ?? (resume === undefined ? "played/played-1" : undefined);
		const runtime = await pi.createAgentSessionRuntime(
			async ({ cwd, agentDir, sessionManager }) => {
				const services = await pi.createAgentSessionServices({ cwd, agentDir });
				const made = await pi.createAgentSessionFromServices({
					services,
					sessionManager,
					...(model === undefined ? {} : { model }),
					...(withoutTools ? { excludeTools: withoutTools } : {}),
				});
				model = undefined;
				return { ...made, services };
			},
			{
				cwd: home.project,
				agentDir: home.agentDir,
				sessionManager:
					resume === undefined
						? pi.SessionManager.create(home.project, join(home.agentDir, "sessions"))
						: pi.SessionManager.open(resume),
			},
		);
		const session = new PiSdkSession(home, runtime);
		await session.#bind(runtime.session);
		runtime.setRebindSession((next) => session.#bind(next));
		return session;
	}

	async prompt(text: string): Promise<void> {
		await this.submit(text);
		await this.idle();
	}

	async submit(text: string): Promise<void> {
		this.#running = this.#session.prompt(text).catch((error) => this.#refused(error));
	}

	async idle(): Promise<void> {
		await this.#running;
		await this.#session.waitForIdle();
	}

	async queue(text: string, lane: Lane, refusal?: string): Promise<void> {
		try {
			await (lane === "steer" ? this.#session.steer(text) : this.#session.followUp(text));
		} catch (error) {
			if (refusal === undefined) throw error;
			this.#refused(error);
		}
	}

	async setModel(id: string): Promise<void> {
		const [provider = "", modelId = ""] = id.split("/");
		await this.#session.setModel(this.#session.modelRegistry.find(provider, modelId));
	}

	async setThinking(level: string): Promise<void> {
		this.#session.setThinkingLevel(level);
	}

	async setName(name: string): Promise<void> {
		this.#session.setSessionName(name);
	}

	async setSetting(path: string, value: boolean | number | string): Promise<void> {
		const keys = path.split(".").toReversed();
		const overrides = keys.reduce<unknown>((inner, key) => ({ [key]: inner }), value);
		this.#runtime.services.settingsManager.applyOverrides(overrides as object);
	}

	async shell(command: string): Promise<void> {
		await this.#session.executeBash(command);
	}

	retry(): Promise<void> {
		throw new Unsupported("pi's session has no method for it");
	}

	rewind(): Promise<void> {
		throw new Unsupported("pi's session has no method for it");
	}

	dropResult(): Promise<void> {
		throw new Unsupported("pi's session has no method for it");
	}

	aside(): Promise<void> {
		throw new Unsupported("pi's session has no method for it");
	}

	background(): Promise<void> {
		throw new Unsupported("pi's session has no method for it");
	}

	async answer(option: RegExp): Promise<void> {
		let isOver = false;
		void this.idle().then(() => (isOver = true));
		const open = (): Dialog | undefined =>
			this.#dialogs.find(({ options }) => options.some((label) => option.test(label)));
		await until("a dialog is open", () => {
			if (isOver) throw new Error("The run ended without a request.");
			return open() !== undefined;
		});
		open()?.resolve(open()?.options.find((label) => option.test(label)));
	}

	promptAgent(): Promise<void> {
		throw new Unsupported("pi's SDK has no agents");
	}

	answerListed(): Promise<void> {
		throw new Unsupported("pi's SDK has no list of requests");
	}

	async compact(): Promise<void> {
		this.#running = this.#session.compact().then(
			() => {},
			(error) => this.#refused(error),
		);
	}

	async abort(): Promise<void> {
		this.#session.abortBash();
		await this.#session.abort();
		await this.idle();
	}

	async newSession(): Promise<void> {
		await this.#runtime.newSession();
	}

	async resume(file: string): Promise<void> {
		await this.#runtime.switchSession(file);
	}

	async fork(): Promise<void> {
		const leaf = this.#session.sessionManager.getLeafId();
		await this.#runtime.fork(leaf ?? "", { position: "at" });
	}

	async stats(): Promise<Stats> {
		const { userMessages, assistantMessages, tokens } = this.#session.getSessionStats();
		return { userMessages, assistantMessages, inputTokens: tokens.input, outputTokens: tokens.output };
	}

	async exported(): Promise<string> {
		const path = await this.#session.exportToHtml(join(this.#home.project, "exported.html"));
		return readFileSync(path, "utf8");
	}

	async file(): Promise<string> {
		return this.#session.sessionFile ?? "";
	}

	shownText(): string {
		return JSON.stringify(this.events) + this.#notices.join("\n");
	}

	switchOff(): Promise<void> {
		throw new Unsupported("pi's SDK has no layer of the user's own");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const { resolve } of this.#dialogs) resolve(undefined);
		await this.#runtime.dispose();
		await this.#running;
	}

	get #session(): PiSession {
		return this.#runtime.session;
	}

	async #bind(session: PiSession): Promise<void> {
		session.subscribe((event) => void this.events.push(structuredClone(event)));
		await session.bindExtensions({ uiContext: this.#ui() });
	}

	/** The part of pi's ExtensionUIContext that requests use. */
	#ui(): object {
		return {
			select: (_title: string, options: readonly (string | { label: string })[]) => {
				const { promise, resolve } = Promise.withResolvers<string | undefined>();
				const labels = options.map((each) => (typeof each === "string" ? each : each.label));
				this.#dialogs.push({ options: labels, resolve });
				return promise;
			},
			confirm: async () => false,
			input: async () => undefined,
			notify: (message: string) => void this.#notices.push(message),
			setStatus: () => {},
			setWidget: () => {},
			setTitle: () => {},
		};
	}

	#refused(error: unknown): void {
		this.#notices.push(error instanceof Error ? error.message : String(error));
	}
}
