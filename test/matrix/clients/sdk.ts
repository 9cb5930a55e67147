/** The SDK: `createAgentSession` of `@tau/coding-agent` inside the test's own process. */
import { expect } from "bun:test";

import { readFileSync } from "node:fs";
import { join } from "node:path";

import {
	createAgentSession,
	SessionManager,
	Settings,
	type CreateAgentSessionResult,
	type UserAnswer,
} from "@tau/coding-agent";

import { Unsupported } from "../client.ts";
import type { Client, ClientSession, Lane, OpenOptions, SessionEventFrame, Stats } from "../client.ts";
import { until, type Home } from "../home.ts";
import { answerTo } from "../pending.ts";

export const sdk: Client = {
	name: "sdk",
	lacks: {
		switchTools: "takes the tools as an option: a program that wants others opens another session",
		new: "opens a session per call: a program that wants a new one calls createAgentSession again",
	},
	open: async (home, options) => {
		const session = new SdkSession(home);
		await session.open(options);
		return session;
	},
};

export class SdkSession implements ClientSession {
	readonly #home: Home;
	readonly events: SessionEventFrame[] = [];
	/** What only the program that opened the session hears of. */
	protected readonly notices: string[] = [];
	#made: CreateAgentSessionResult | undefined;
	#log: SessionManager | undefined;
	#settings: Settings | undefined;
	#running: Promise<void> = Promise.resolve();

	constructor(home: Home) {
		this.#home = home;
	}

	async open(options: OpenOptions = {}): Promise<void> {
		const { resume, model = resume === undefined ? "played/played-1" : undefined, withoutTools } = options;
		const log = resume === undefined ? undefined : SessionManager.open(resume);
		await this.#create(log, { model, withoutTools });
	}

	async prompt(text: string): Promise<void> {
		await this.submit(text);
		await this.idle();
	}

	async submit(text: string): Promise<void> {
		this.#running = this.#open.session.prompt({ text }).catch((error) => this.#refused(error));
	}

	async idle(): Promise<void> {
		await this.#running;
		await this.#open.session.waitForIdle();
	}

	async queue(text: string, lane: Lane, refusal?: string): Promise<void> {
		const { session } = this.#open;
		try {
			await (lane === "steer" ? session.steer({ text }) : session.followUp({ text }));
		} catch (error) {
			if (refusal === undefined) throw error;
			this.#refused(error);
		}
	}

	async promptAgent(id: string, text: string, refusal?: string): Promise<void> {
		try {
			await this.#open.session.promptAgent(id, text);
		} catch (error) {
			if (refusal === undefined) throw error;
			this.#refused(error);
		}
	}

	async setModel(id: string): Promise<void> {
		const model = this.#open.modelRegistry.find(id);
		if (!model) throw new Error(`no model ${id}`);
		await this.#open.session.setModel(model);
	}

	async setThinking(level: string): Promise<void> {
		await this.#open.session.setThinkingLevel(level as "high");
	}

	async setName(name: string): Promise<void> {
		await this.#open.session.setSessionName(name);
	}

	async setSetting(path: string, value: boolean | number | string): Promise<void> {
		const outcome = await this.#settings?.setUnchecked(path, value, "session");
		if (!outcome?.ok) throw new Error(outcome?.reason);
	}

	async shell(command: string): Promise<void> {
		await this.#open.session.shell(command);
	}

	async retry(): Promise<void> {
		await this.#open.session.retry();
	}

	async dropResult(word: string): Promise<void> {
		const { context } = this.#open.session;
		const results = context.report().sources.find(({ name }) => name === "Tool results")?.items ?? [];
		await context.drop(results.filter(({ name }) => name.includes(word)).map(({ id }) => id));
	}

	async aside(question: string, answer: string): Promise<void> {
		expect(await this.#open.session.btw(question)).toMatchObject({ text: answer });
	}

	async rewind(): Promise<void> {
		const { rewind } = this.#open.session;
		const points = await rewind.points();
		await rewind.rewind({ entryId: points.at(-1)?.entryId ?? "", restore: "both" });
	}

	async background(): Promise<void> {
		this.#open.session.background();
	}

	async answer(option: RegExp): Promise<void> {
		const { session } = this.#open;
		await until("a request is pending", () => session.requests.pending.length > 0);
		for (const request of session.requests.pending)
			session.answer(request.id, answerTo(request, option) as UserAnswer);
	}

	answerListed(option: RegExp): Promise<void> {
		return this.answer(option);
	}

	async compact(): Promise<void> {
		this.#running = this.#open.session.compact().then(
			() => {},
			(error) => this.#refused(error),
		);
	}

	async abort(): Promise<void> {
		await this.#open.session.abort();
		await this.idle();
	}

	async resume(file: string): Promise<void> {
		await this.#close();
		await this.open({ resume: file });
	}

	async fork(): Promise<void> {
		const from = await this.file();
		await this.#close();
		await this.#create(SessionManager.forkFrom(from, this.#home.project, join(from, "..")));
	}

	async stats(): Promise<Stats> {
		const { userMessages, assistantMessages, tokens } = this.#open.session.getSessionStats();
		return { userMessages, assistantMessages, inputTokens: tokens.input, outputTokens: tokens.output };
	}

	async exported(): Promise<string> {
		const path = await this.#open.session.exportToHtml(join(this.#home.project, "exported.html"));
		return readFileSync(path, "utf8");
	}

	async file(): Promise<string> {
		return this.#open.sessionManager.getSessionFile() ?? "";
	}

	shownText(): string {
		return JSON.stringify(this.events) + this.notices.join("\n");
	}

	async newSession(): Promise<void> {
		await this.#close();
		await this.open();
	}

	switchOff(): Promise<void> {
		throw new Unsupported("the SDK's session switches no tools");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#close();
	}

	get #open(): CreateAgentSessionResult {
		if (!this.#made) throw new Error("the session is not open");
		return this.#made;
	}

	async #create(
		log: SessionManager | undefined,
		{ model, withoutTools }: Pick<OpenOptions, "model" | "withoutTools"> = {},
	): Promise<void> {
		const { agentDir, project: cwd, extensionFiles } = this.#home;
		this.#log = log;
		this.#settings = await Settings.load({ cwd, agentDir });
		if (withoutTools) await this.#settings.set("tools.disabled", [...withoutTools], "global");
		this.#made = await createAgentSession({
			cwd,
			agentDir,
			extensions: extensionFiles,
			hooks: true,
			mcp: true,
			settingsManager: this.#settings,
			...(model === undefined ? {} : { model }),
			...(log ? { sessionManager: log } : {}),
			onNotice: (message) => void this.notices.push(message),
		});
		this.#made.session.onRequest(() => {});
		this.follow(this.#made);
	}

	/** A session was opened. */
	protected follow({ session }: CreateAgentSessionResult): void {
		session.subscribe((event) => void this.events.push({ ...structuredClone(event) }));
	}

	async #close(): Promise<void> {
		await this.#made?.[Symbol.asyncDispose]();
		await this.#running;
		this.#log?.[Symbol.dispose]();
		this.#made = undefined;
		this.#log = undefined;
	}

	#refused(error: unknown): void {
		this.notices.push(error instanceof Error ? error.message : String(error));
	}
}
