/** Talks to the demo through the real loop, with real tools, in its own folder. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
	agentLoop,
	defaultConvertToLlm,
	type AgentEvent,
	type AgentMessage,
	type AgentTool,
} from "@tau/agent";
import type { AssistantMessage, AssistantMessageEvent, ThinkingLevel, ToolCall } from "@tau/ai";

import { type ConnectionFacts, createDemoStream, demoModel } from "../index.ts";
import { testTools } from "./tools.ts";

export const someFacts: ConnectionFacts = {
	keys: [
		{ provider: "anthropic", variable: "ANTHROPIC_API_KEY", found: false },
		{ provider: "openai", variable: "OPENAI_API_KEY", found: true },
	],
	servers: [
		{ name: "Ollama", url: "http://127.0.0.1:11434", found: true, models: 3 },
		{ name: "LM Studio", url: "http://127.0.0.1:1234", found: false },
	],
	modelsFile: "~/.tau/agent/models.yml",
};

export interface Answered {
	answers: AssistantMessage[];
	calls: ToolCall[];
	events: AssistantMessageEvent[];
	/** The text of the last answer. */
	text: string;
	/** All text of all answers. */
	allText: string;
	thinking: string;
}

export interface TalkOptions {
	facts?: () => Promise<ConnectionFacts>;
	tools?: (all: AgentTool[]) => AgentTool[];
	reasoning?: ThinkingLevel;
	signal?: AbortSignal;
	onEvent?: (event: AgentEvent) => void;
}

/** A folder with these files, and a conversation in it; both end when it is disposed of. */
export async function talk(files: Record<string, string | Uint8Array> = {}) {
	const cwd = await mkdtemp(join(tmpdir(), "tau-demo-"));
	for (const [path, content] of Object.entries(files)) {
		await Bun.write(join(cwd, path), content, { createPath: true });
	}
	const messages: AgentMessage[] = [];
	return {
		cwd,
		messages,
		file: (path: string) => Bun.file(join(cwd, path)),
		async ask(prompt: string, options: TalkOptions = {}): Promise<Answered> {
			const events: AssistantMessageEvent[] = [];
			const { tools = (all) => all, facts = async () => someFacts, reasoning } = options;
			const run = agentLoop(
				[{ role: "user", content: prompt, timestamp: Date.now() }],
				{ systemPrompt: "", messages, tools: tools(testTools(cwd)) },
				{
					settings: () => ({ model: demoModel, ...(reasoning === undefined ? {} : { reasoning }) }),
					convertToLlm: defaultConvertToLlm,
					access: () => ({}),
					stream: createDemoStream(facts),
				},
				options.signal,
			);
			for await (const event of run) {
				options.onEvent?.(event);
				if (event.type === "message_update") events.push(event.assistantMessageEvent);
			}
			const added = await run.result();
			messages.push(...added);
			return summed(added, events);
		},
		[Symbol.asyncDispose]: () => rm(cwd, { recursive: true, force: true }),
	};
}

function summed(added: readonly AgentMessage[], events: AssistantMessageEvent[]): Answered {
	const answers = added.filter((message) => message.role === "assistant");
	return {
		answers,
		events,
		calls: answers.flatMap(({ content }) => content.filter((block) => block.type === "toolCall")),
		text: textOf(answers.at(-1)),
		allText: answers.map(textOf).join("\n\n"),
		thinking: answers
			.flatMap(({ content }) => content.map((block) => (block.type === "thinking" ? block.thinking : "")))
			.join(""),
	};
}

function textOf(answer: AssistantMessage | undefined): string {
	return (answer?.content ?? []).flatMap((block) => (block.type === "text" ? block.text : [])).join("\n\n");
}
