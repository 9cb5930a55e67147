/** The demo as a provider: plans the next step of a conversation and streams it like a model's answer. */
import {
	MessageBuilder,
	failure,
	type StreamFunction,
	type AssistantMessage,
	type Context,
	type Message,
	type Usage,
} from "@tau/ai";
import { abortable, envNumber, fill, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";
import { plan } from "./plan.ts";
import { type Manner, speak } from "./speak.ts";
import { code, list, plural } from "./text.ts";
import connectText from "./texts/connect.md" with { type: "text" };
import unknownText from "./texts/connect-unknown.md" with { type: "text" };

/** `facts` is called only for an answer about connecting a real model; it may be slow. */
export function createDemoStream(facts: () => Promise<ConnectionFacts>): StreamFunction {
	return (model, context, options = {}) => {
		const reader = new AbortController();
		const builder = new MessageBuilder(model, () => reader.abort());
		const signal = options.signal ? AbortSignal.any([options.signal, reader.signal]) : reader.signal;
		const manner: Manner = {
			signal,
			pace: Math.min(limits.paceMs, envNumber("TAU_DEMO_PACE_MS") ?? 0),
			thinking: options.reasoning !== "off",
			connection: () => lookAround(facts, signal),
		};
		void answer(builder, context, manner);
		return builder.stream;
	};
}

/** Never rejects: whatever happens is the stream's last event. */
async function answer(
	builder: MessageBuilder,
	context: Parameters<typeof plan>[0],
	manner: Manner,
): Promise<void> {
	try {
		builder.start();
		const step = plan(context);
		await speak(builder, step, manner);
		builder.setUsage(estimateUsage(context, builder.message));
		builder.done(step.some((piece) => piece.kind === "call") ? "toolUse" : "stop");
	} catch (error) {
		builder.setUsage(estimateUsage(context, builder.message));
		if (manner.signal.aborted) builder.abort();
		else builder.fail(failure("unknown", error instanceof Error ? error.message : String(error)));
	}
}

async function lookAround(facts: () => Promise<ConnectionFacts>, signal: AbortSignal): Promise<string> {
	using deadline = withTimeout(signal, limits.factsMs, "looking for models took too long");
	try {
		return connectionText(await abortable(facts(), deadline.signal));
	} catch {
		signal.throwIfAborted();
		// What was not found out is left out; the way to connect a model is the same without it.
		return connectionText(undefined);
	}
}

const charsPerToken = 4;

/** Estimates what an exchange would have cost a real model. */
function estimateUsage(context: Context, message: AssistantMessage): Partial<Omit<Usage, "cost">> {
	const { systemPrompt = "", messages, tools = [] } = context;
	const said = messages.reduce((sum, each) => sum + messageChars(each), systemPrompt.length);
	const input = Math.ceil((said + (tools.length > 0 ? JSON.stringify(tools).length : 0)) / charsPerToken);
	const output = Math.ceil(messageChars(message) / charsPerToken);
	return { input, output, totalTokens: input + output };
}

/** Images do not count: the demo ignores them. */
function messageChars({ content }: Message): number {
	if (typeof content === "string") return content.length;
	return content.reduce((sum, part) => {
		if (part.type === "text") return sum + part.text.length;
		if (part.type === "thinking") return sum + part.thinking.length;
		return part.type === "toolCall" ? sum + part.name.length + JSON.stringify(part.arguments).length : sum;
	}, 0);
}

/** What the application found; collected only on request. */
export interface ConnectionFacts {
	keys: { provider: string; variable: string; found: boolean }[];
	servers: { name: string; url: string; found: boolean; models?: number }[];
	modelsFile: string;
}

/** How to connect a real model; without facts (looking failed or took too long) what holds on every machine. */
function connectionText(facts: ConnectionFacts | undefined): string {
	if (!facts) return fill(unknownText);
	const lines = [
		...facts.keys
			.filter(({ found }) => found)
			.map(
				({ variable, provider }) =>
					`a key in ${code(variable)}: start with ${code(`--model ${provider}/MODEL`)}`,
			),
		...facts.servers.map(({ name, url, found, models }) => {
			const count = models === undefined ? "" : ` with ${plural(models, "model")}`;
			return `${name} at ${url}: ${found ? `answers${count}` : "does not answer"}`;
		}),
	];
	const missing = facts.keys.filter(({ found }) => !found);
	const named = missing.slice(0, limits.listedKeys).map((key) => `${code(key.variable)} (${key.provider})`);
	const more = missing.length > limits.listedKeys ? " or any other provider's variable" : "";
	if (named.length > 0) lines.push(`no key in ${named.join(", ")}${more}`);
	return fill(connectText, {
		facts: list(lines) || "- no search was made",
		modelsFile: code(facts.modelsFile),
	});
}
