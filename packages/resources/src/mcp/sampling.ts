/** Lets the session's model answer a request of a server, after the user has seen it. */
import type { CreateMessageRequest, CreateMessageResult } from "@modelcontextprotocol/client";
import type { AssistantMessage, Message } from "@tau/ai";
import type { SessionHandle } from "@tau/session/run";
import type { Settings } from "@tau/config/settings";
import { oneLine, stripControls } from "@tau/utils";

import { limits } from "./limits.ts";
import type { McpUser } from "./user.ts";

export interface SampleParts {
	params: CreateMessageRequest["params"];
	server: string;
	user: McpUser;
	session: SessionHandle;
	settings: Pick<Settings, "get">;
}

/** How much of the request the user sees. */
const shownChars = 600;

export async function sampleModel(
	{ params, server, user, session, settings }: SampleParts,
	signal: AbortSignal,
): Promise<CreateMessageResult> {
	if (settings.get("mcp.sampling") === "never" || !user.canAsk())
		throw new Error("The user does not let servers ask the model.");
	const instructions = params.systemPrompt === undefined ? [] : [`system: ${params.systemPrompt}`];
	const said = params.messages.map(({ role, content }) => `${role}: ${textOf(content)}`);
	const shown = [...instructions, ...said].join("\n");
	const { model } = session;
	const question = `The MCP server ${server} wants to ask ${model.id}:\n${oneLine(stripControls(shown), shownChars)}`;
	if (!(await user.confirm(question, "Ask the model", server, signal)))
		throw new Error("The user declined the request.");
	// Respects the budget of the session, and counts toward it.
	const answer = await session.sideTurn({
		context: {
			...(params.systemPrompt === undefined ? {} : { systemPrompt: params.systemPrompt }),
			messages: messagesOf(params),
			tools: [],
		},
		options: { maxTokens: Math.min(params.maxTokens, limits.sampledTokens) },
		signal,
	});
	session.recordUsage("sampling", answer);
	if (answer.stopReason === "error" || answer.stopReason === "aborted")
		throw new Error(answer.errorMessage ?? "The model did not answer.");
	return {
		role: "assistant",
		model: answer.model,
		content: { type: "text", text: answerText(answer) },
		stopReason: answer.stopReason === "length" ? "maxTokens" : "endTurn",
	};
}

function messagesOf({ messages }: CreateMessageRequest["params"]): Message[] {
	const timestamp = Date.now();
	// Answers that the server claims to have got are shown to the model as part of the question.
	const text = messages
		.map(({ role, content }) => (role === "user" ? textOf(content) : `(earlier answer) ${textOf(content)}`))
		.join("\n\n");
	return [{ role: "user", content: [{ type: "text", text }], timestamp }];
}

type Content = CreateMessageRequest["params"]["messages"][number]["content"];

function textOf(content: Content): string {
	const blocks = Array.isArray(content) ? content : [content];
	return blocks.map((block) => (block.type === "text" ? block.text : `(${block.type})`)).join("\n");
}

function answerText({ content }: AssistantMessage): string {
	return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}
