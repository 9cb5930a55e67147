/** Tokens that nobody has counted, by estimate: of a request before it is sent, and of an answer without counts. */
import { object, type Json } from "../../json.ts";
import type { AssistantContent, AssistantMessage, Message, Model, Usage } from "../../types.ts";
import { addCost } from "../../usage.ts";
import type { ServedProtocol } from "./types.ts";

/** Text in most languages and code have about this many characters in a token. */
const charsPerToken = 4;
/** What most vendors count for an image of usual size. */
const imageTokens = 1500;

/** The answer to a client that asks how many tokens a request has. Throws a `RequestProblem`. */
export function estimatedTokens(protocol: ServedProtocol, body: Json): Json {
	// A count has no limit of its own.
	const { context } = protocol.request({ max_tokens: 1, ...body });
	const tools = JSON.stringify(context.tools ?? []).length;
	const text = (context.systemPrompt?.length ?? 0) + tools;
	const tokens =
		Math.ceil(text / charsPerToken) + context.messages.reduce((sum, each) => sum + tokensOf(each), 0);
	return protocol.api === "anthropic-messages" ? { input_tokens: tokens } : { totalTokens: tokens };
}

/** The tokens of a request at most, about: those of its text, and of the longest answer that it allows. */
export function mostTokens(
	{ maxTokens }: Model,
	chars: number,
	body: Json,
): { input: number; output: number } {
	const { max_tokens, max_completion_tokens, max_output_tokens } = body;
	const [inConfig, inOptions] = [object(body.generationConfig), object(body.options)];
	const wanted = [
		max_tokens,
		max_completion_tokens,
		max_output_tokens,
		inConfig.maxOutputTokens,
		inOptions.maxTokens,
	].find((value) => typeof value === "number" && value >= 0);
	return { input: chars / charsPerToken, output: Math.min(Number(wanted ?? maxTokens), maxTokens) };
}

/**
 * What an answer to a request with this text used. A stream that was cut has no counts, or those of its beginning, and some providers send none:
 * the tokens that are missing are estimated, so that no limit is passed by leaving before the end.
 */
export function countedUsage(
	{ model, text }: { readonly model: Model; readonly text: string },
	message: AssistantMessage,
	isCut: boolean,
): Usage {
	const { usage, content } = message;
	const input = usage.input + usage.cacheRead + usage.cacheWrite;
	if (content.length === 0 || (!isCut && input + usage.output > 0)) return usage;
	const chars = content.reduce((sum, block) => sum + charsOf(block), 0);
	const counted = {
		...usage,
		...(input > 0 ? {} : { input: Math.ceil(text.length / charsPerToken) }),
		output: Math.max(usage.output, Math.ceil(chars / charsPerToken)),
		cost: { ...usage.cost },
	};
	addCost(counted, model.cost);
	return counted;
}

/** What the model wrote; signatures are not its words. */
function charsOf(block: AssistantContent): number {
	if (block.type === "text") return block.text.length;
	return block.type === "thinking" ? block.thinking.length : JSON.stringify(block.arguments).length;
}

function tokensOf({ content }: Message): number {
	if (typeof content === "string") return Math.ceil(content.length / charsPerToken);
	return content.reduce(
		(sum, block) =>
			sum + (block.type === "image" ? imageTokens : Math.ceil(JSON.stringify(block).length / charsPerToken)),
		0,
	);
}
