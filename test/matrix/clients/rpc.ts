/** RPC mode: the real program in its own process, driven by the frames of the protocol. */
import { expect } from "bun:test";

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Unsupported } from "../client.ts";
import type { Client, ClientSession, Lane, OpenOptions, SessionEventFrame, Stats } from "../client.ts";
import { until, type Home } from "../home.ts";
import { answerTo, type PendingRequest } from "../pending.ts";
import { startRpc, type Frame, type RpcProcess } from "../../rpc/rpc-process.ts";

export const rpc: Client = {
	name: "rpc",
	lacks: {
		sideBySide: "is one session per process",
	},
	open: async (home, options) => new RpcSession(home, options),
};

/** The commands that pi's protocol has for single settings. */
const ownCommands: Readonly<Record<string, (value: unknown) => object>> = {
	"compaction.enabled": (enabled) => ({ type: "set_auto_compaction", enabled }),
	"retry.enabled": (enabled) => ({ type: "set_auto_retry", enabled }),
	steeringMode: (mode) => ({ type: "set_steering_mode", mode }),
	followUpMode: (mode) => ({ type: "set_follow_up_mode", mode }),
};

class RpcSession implements ClientSession {
	readonly #home: Home;
	readonly #talk: RpcProcess;
	#answered = 0;

	constructor(home: Home, options: OpenOptions = {}) {
		const { resume, model = resume === undefined ? "played/played-1" : undefined, withoutTools } = options;
		this.#home = home;
		this.#talk = startRpc(home, [
			...(model === undefined ? [] : ["--model", model]),
			...(resume === undefined ? [] : ["--session", resume]),
			...(withoutTools ? ["--exclude-tools", withoutTools.join(",")] : []),
		]);
		this.#talk.write({ type: "set_request_kinds", kinds: ["questions", "approval", "trust", "dialog"] });
	}

	get events(): readonly SessionEventFrame[] {
		const { out } = this.#talk.running.output();
		const lines = out.slice(0, out.lastIndexOf("\n") + 1).split("\n");
		return lines.filter(Boolean).map((line): SessionEventFrame => JSON.parse(line));
	}

	async prompt(text: string): Promise<void> {
		await this.submit(text);
		await this.idle();
	}

	async submit(text: string): Promise<void> {
		await this.#talk.ask({ type: "prompt", message: text });
	}

	async idle(): Promise<void> {
		await until("the session is idle", async () => {
			const { isStreaming, isCompacting } = await this.#data({ type: "get_state" });
			return isStreaming === false && isCompacting === false;
		});
	}

	async queue(text: string, lane: Lane, refusal?: string): Promise<void> {
		const response = await this.#talk.ask({
			type: lane === "steer" ? "steer" : "follow_up",
			message: text,
		});
		if (refusal === undefined) expectSuccess(response);
	}

	async promptAgent(childId: string, message: string, refusal?: string): Promise<void> {
		const response = await this.#talk.ask({ type: "prompt_child", childId, message });
		if (refusal === undefined) expectSuccess(response);
		else expect(response).toMatchObject({ success: false, error: expect.stringContaining(refusal) });
	}

	async setModel(id: string): Promise<void> {
		const [provider, modelId] = id.split("/");
		await this.#data({ type: "set_model", provider, modelId });
	}

	async setThinking(level: string): Promise<void> {
		await this.#data({ type: "set_thinking_level", level });
	}

	async setName(name: string): Promise<void> {
		await this.#data({ type: "set_session_name", name });
	}

	async setSetting(path: string, value: boolean | number | string): Promise<void> {
		const command = ownCommands[path]?.(value) ?? { type: "set_setting", path, value };
		const response = await this.#talk.ask(command);
		if (response.success !== true) throw new Unsupported(String(response.error));
	}

	async shell(command: string): Promise<void> {
		await this.#data({ type: "bash", command });
	}

	async retry(): Promise<void> {
		await this.#data({ type: "retry" });
		await this.idle();
	}

	async dropResult(word: string): Promise<void> {
		const { sources } = (await this.#data({ type: "get_context" })) as {
			sources: { name: string; items: { id: string; name: string }[] }[];
		};
		const results = sources.find(({ name }) => name === "Tool results")?.items ?? [];
		const ids = results.filter(({ name }) => name.includes(word)).map(({ id }) => id);
		await this.#data({ type: "drop_context", itemIds: ids });
	}

	async aside(question: string, answer: string): Promise<void> {
		expect(await this.#data({ type: "btw", question })).toMatchObject({ text: answer });
	}

	async rewind(): Promise<void> {
		const { points } = (await this.#data({ type: "get_rewind_points" })) as { points: { entryId: string }[] };
		await this.#data({ type: "rewind", entryId: points.at(-1)?.entryId, restore: "both" });
	}

	async background(): Promise<void> {
		await this.#data({ type: "background_bash" });
	}

	async answer(option: RegExp): Promise<void> {
		const chosen = (frame: Frame): string | undefined =>
			frame.type === "extension_ui_request" && frame.method === "select"
				? (frame.options as string[]).find((label) => option.test(label))
				: undefined;
		const frame = await this.#talk.until(
			(each) => chosen(each) !== undefined || each.type === "agent_end",
			this.#answered,
		);
		const value = chosen(frame);
		if (value === undefined) throw new Error("The run ended without a request.");
		this.#answered = this.#talk.frames.indexOf(frame) + 1;
		this.#talk.write({ type: "extension_ui_response", id: frame.id, value });
	}

	async answerListed(option: RegExp): Promise<void> {
		let pending: readonly PendingRequest[] = [];
		await until("a request is pending", async () => {
			pending = (await this.#data({ type: "list_requests" })).requests as PendingRequest[];
			return pending.length > 0;
		});
		for (const request of pending)
			await this.#data({
				type: "answer_request",
				requestId: request.id,
				answer: answerTo(request, option),
			});
	}

	async compact(): Promise<void> {
		this.#talk.write({ type: "compact" });
	}

	async abort(): Promise<void> {
		await this.#data({ type: "abort" });
		await this.#data({ type: "abort_bash" });
	}

	async newSession(): Promise<void> {
		await this.#data({ type: "new_session" });
	}

	async resume(sessionPath: string): Promise<void> {
		await this.#data({ type: "switch_session", sessionPath });
	}

	async fork(): Promise<void> {
		await this.#data({ type: "clone" });
	}

	async stats(): Promise<Stats> {
		const data = await this.#data({ type: "get_session_stats" });
		const tokens = data.tokens as { input: number; output: number };
		return {
			userMessages: Number(data.userMessages),
			assistantMessages: Number(data.assistantMessages),
			inputTokens: tokens.input,
			outputTokens: tokens.output,
		};
	}

	async exported(): Promise<string> {
		const outputPath = join(this.#home.project, "exported.html");
		const { path } = await this.#data({ type: "export_html", outputPath });
		return readFileSync(String(path), "utf8");
	}

	async file(): Promise<string> {
		return String((await this.#data({ type: "get_state" })).sessionFile);
	}

	shownText(): string {
		const { out, err } = this.#talk.running.output();
		return out + err;
	}

	async switchOff(tool: string): Promise<void> {
		await this.#data({ type: "run_command", name: "tools", args: `off ${tool}` });
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#talk[Symbol.asyncDispose]() as Promise<void>;
	}

	async #data(command: object): Promise<Record<string, unknown>> {
		const response = await this.#talk.ask(command);
		expectSuccess(response);
		return (response.data ?? {}) as Record<string, unknown>;
	}
}

function expectSuccess(response: Frame): void {
	if (response.success !== true) throw new Error(`${String(response.command)}: ${String(response.error)}`);
}
