/** ACP mode: the real program as the agent of an editor, which is the official client of the protocol. */
import { join } from "node:path";

import { methods, RequestError, type RequestPermissionRequest } from "@agentclientprotocol/sdk/unstable";

import type { SessionUsage } from "@tau/compat/omp-methods";

import { openEditor, type Editor } from "../../acp/editor.ts";
import { Unsupported } from "../client.ts";
import type { Client, ClientSession, Lane, OpenOptions, SessionEventFrame, Stats } from "../client.ts";
import { logEntries, logFiles, until, type Home } from "../home.ts";

const { session: sessions } = methods.agent;

export const acp: Client = {
	name: "acp",
	lacks: {
		events: "has the updates of its protocol, which test/acp checks",
		shell: "has the terminals of the editor for commands of the user",
		new: "opens a session per request, with what the program was started with",
		sideBySide: "has one directory of settings per process; test/acp opens two sessions in one",
	},
	async open(home, options) {
		const session = new AcpMatrixSession(home);
		await session.open(options);
		return session;
	},
};

interface Asked {
	readonly request: RequestPermissionRequest;
	choose(optionId: string | undefined): void;
}

class AcpMatrixSession implements ClientSession {
	readonly #home: Home;
	readonly events: readonly SessionEventFrame[] = [];
	#opened: Editor | undefined;
	#id = "";
	readonly #asked: Asked[] = [];
	/** Messages during the run. */
	#queued = 0;
	readonly #running = new Set<Promise<unknown>>();
	/** What the client was answered instead of a result. */
	readonly #errors: string[] = [];

	constructor(home: Home) {
		this.#home = home;
	}

	async open({ resume, model, withoutTools }: OpenOptions = {}): Promise<void> {
		const named = model ?? (resume === undefined ? "played/played-1" : undefined);
		const args = [
			...(named === undefined ? [] : ["--model", named]),
			...(withoutTools ? ["--exclude-tools", withoutTools.join(",")] : []),
		];
		this.#opened = await openEditor(this.#home, {
			args,
			permission: (request) => {
				const { promise, resolve } = Promise.withResolvers<string | undefined>();
				this.#asked.push({ request, choose: resolve });
				return promise;
			},
		});
		if (resume === undefined) this.#id = await this.#editor.newSession();
		else await this.resume(resume);
	}

	async prompt(text: string): Promise<void> {
		await this.submit(text);
		await this.idle();
	}

	/** The protocol answers a prompt with the end of its run. */
	async submit(text: string): Promise<void> {
		const running = this.#editor
			.prompt(this.#id, text)
			.catch((error: unknown) => void this.#errors.push(reasonOf(error)))
			.finally(() => this.#running.delete(running));
		this.#running.add(running);
	}

	/** A run that no prompt has begun has no answer; while there is one, the session is not sent again. */
	async idle(): Promise<void> {
		while (this.#running.size > 0) await Promise.all(this.#running);
		const { agent } = this.#editor;
		const request = { sessionId: this.#id, cwd: this.#home.project, mcpServers: [] };
		await until("the session is idle", () =>
			agent.request(sessions.load, request).then(
				() => true,
				(error) => {
					if (/is running/.test(reasonOf(error))) return false;
					throw error;
				},
			),
		);
	}

	/** A prompt during a run steers it. */
	async queue(text: string, lane: Lane, refusal?: string): Promise<void> {
		if (lane !== "steer") throw new Unsupported("a prompt during a run steers it");
		await this.submit(text);
		if (refusal !== undefined)
			return await until("the user reads why", () => this.shownText().includes(refusal));
		this.#queued++;
		const shown = new RegExp(`^queued +${this.#queued} message`, "m");
		await until("the message is queued", async () => {
			const from = this.#editor.text().length;
			// Its answer waits for the end of the run, as that of every prompt.
			await this.submit("/session");
			await until("the command replies", () => this.#editor.text().includes("cost", from));
			return shown.test(this.#editor.text().slice(from));
		});
	}

	async promptAgent(id: string, text: string, refusal?: string): Promise<void> {
		const sent = this.#send(`/agents message ${id} ${text}`);
		if (refusal === undefined) {
			sent.catch((error) => this.#errors.push(reasonOf(error)));
			// The answer to the prompt waits for the end of the run; the agent has the message before.
			return await until("the message is sent", () => this.shownText().includes(`Sent to agent ${id}.`));
		}
		await sent.then(
			() => this.#errors.push("the message was not refused"),
			(error) => this.#errors.push(reasonOf(error)),
		);
	}

	async setModel(value: string): Promise<void> {
		await this.#choose("model", value);
	}

	async setThinking(value: string): Promise<void> {
		await this.#choose("thinking", value);
	}

	setName(name: string): Promise<void> {
		return this.#send(`/name ${name}`);
	}

	setSetting(path: string, value: boolean | number | string): Promise<void> {
		return this.#send(`/settings set ${path} ${value}`);
	}

	switchOff(tool: string): Promise<void> {
		return this.#send(`/tools off ${tool}`);
	}

	shell(): Promise<void> {
		throw new Unsupported("the user's commands run in the editor");
	}

	retry(): Promise<void> {
		return this.#send("/retry");
	}

	async rewind(): Promise<void> {
		const list = await this.#reply("/rewind");
		const [, newest = ""] = /^(\S+) {2}/.exec(list) ?? [];
		await this.#send(`/rewind ${newest} both`);
	}

	async dropResult(word: string): Promise<void> {
		await this.#send(`/context drop ${word}`);
	}

	async aside(question: string, answer: string): Promise<void> {
		await this.#send(`/btw ${question}`);
		await until("the answer is shown", () => this.#editor.text().includes(answer));
	}

	async background(): Promise<void> {
		// Its own answer waits for the end of the run, as that of every prompt.
		await this.submit("/jobs background");
	}

	async answer(option: RegExp): Promise<void> {
		const fitting = ({ request }: Asked): string | undefined =>
			request.options.find(({ name }) => option.test(name))?.optionId;
		await until("a request is pending", () => this.#asked.some((asked) => fitting(asked) !== undefined));
		for (const asked of this.#asked.splice(0)) asked.choose(fitting(asked));
	}

	answerListed(): Promise<void> {
		throw new Unsupported("the client is sent each request");
	}

	compact(): Promise<void> {
		return this.submit("/compact");
	}

	async abort(): Promise<void> {
		await this.#editor.agent.notify(sessions.cancel, { sessionId: this.#id });
		await this.idle();
	}

	async newSession(): Promise<void> {
		await this.#editor.agent.request(sessions.close, { sessionId: this.#id });
		this.#id = await this.#editor.newSession();
	}

	async resume(file: string): Promise<void> {
		const sessionId = idOf(file) ?? file;
		const { project: cwd } = this.#home;
		await this.#editor.agent.request(sessions.load, { sessionId, cwd, mcpServers: [] });
		this.#id = sessionId;
	}

	async fork(): Promise<void> {
		const { project: cwd } = this.#home;
		const forked = await this.#editor.agent.request(sessions.fork, {
			sessionId: this.#id,
			cwd,
			mcpServers: [],
		});
		this.#id = forked.sessionId;
	}

	async stats(): Promise<Stats> {
		const usage: unknown = await this.#editor.agent.request("_omp/usage", { sessionId: this.#id });
		const [stats] = (usage as { sessions: SessionUsage[] }).sessions;
		if (!stats) throw new Error("the session is not open");
		const { userMessages, assistantMessages, tokens } = stats;
		return { userMessages, assistantMessages, inputTokens: tokens.input, outputTokens: tokens.output };
	}

	async exported(): Promise<string> {
		const file = join(this.#home.project, "exported.html");
		await this.#send(`/export ${file}`);
		return await Bun.file(file).text();
	}

	async file(): Promise<string> {
		const find = (): string | undefined => logFiles(this.#home).find((file) => idOf(file) === this.#id);
		await until("the log is written", () => find() !== undefined);
		return find() ?? "";
	}

	shownText(): string {
		const { updates, permissions } = this.#editor;
		return [JSON.stringify(updates), JSON.stringify(permissions), ...this.#errors].join("\n");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const { choose } of this.#asked) choose(undefined);
		await this.#opened?.[Symbol.asyncDispose]();
	}

	get #editor(): Editor {
		if (!this.#opened) throw new Error("the session is not open");
		return this.#opened;
	}

	async #choose(configId: string, value: string): Promise<void> {
		await this.#editor.agent.request(sessions.setConfigOption, { sessionId: this.#id, configId, value });
	}

	/** A prompt that has to be accepted. */
	async #send(text: string): Promise<void> {
		await this.#editor.prompt(this.#id, text);
	}

	/** What a command says. */
	async #reply(text: string): Promise<string> {
		const before = this.#editor.text().length;
		await this.#send(text);
		return this.#editor.text().slice(before);
	}
}

/** Of the session in a file; undefined where there is none. */
function idOf(file: string): string | undefined {
	try {
		const [header] = logEntries(file);
		return header?.type === "session" ? String(header.id) : undefined;
	} catch {
		// Not a session: the agent says so.
		return undefined;
	}
}

function reasonOf(error: unknown): string {
	if (!(error instanceof RequestError)) return String(error);
	return `${error.message} ${JSON.stringify(error.data ?? {})}`;
}
