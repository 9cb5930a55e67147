/** Tau's own client: its protocol has no vendor, so that its direct call is one of Anthropic's. */
import { stream, type Context } from "@tau/ai";
import { testModel } from "@tau/ai/testing";

import { key, type Answer, type Dialect } from "./types.ts";

export const tau: Dialect = {
	name: "tau",
	async ask(url, model, { turns, tools = [] }, _streamed, signal) {
		const provider = model.replace("played-", "");
		const target = testModel({
			id: model,
			provider,
			api: model === "direct" ? "anthropic-messages" : "tau-gateway",
			baseUrl: url,
			reasoning: true,
		});
		const context: Context = {
			messages: turns.map((turn) => {
				if (!("user" in turn)) throw new Error("only words of the user are asked with Tau's client");
				return { role: "user", content: turn.user, timestamp: 0 };
			}),
			tools: [...tools],
		};
		const message = await stream(target, context, { apiKey: key, ...(signal ? { signal } : {}) }).result();
		const { content, usage, stopReason, failure } = message;
		if (failure && failure.kind !== "refusal") throw new Error(failure.message);
		const stops: Record<string, Answer["stop"]> = { length: "length", toolUse: "calls", error: "refusal" };
		return {
			thinking: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
			text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
			calls: content.filter((block) => block.type === "toolCall"),
			isSigned: content.some((block) => block.type === "thinking" && block.thinkingSignature),
			stop: stops[stopReason] ?? "stop",
			usage: { input: usage.input + usage.cacheWrite, output: usage.output, cacheRead: usage.cacheRead },
			raw: content,
		};
	},
	clientError: (error) => {
		throw error;
	},
};
