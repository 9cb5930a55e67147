/** The counts of a Chat Completions answer, under all the names that servers have for them. */
import { count, object, type Json } from "../../json.ts";
import type { Usage } from "../../types.ts";

type Counts = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite">;

export function readUsage(usage: Json): Counts {
	const prompt = object(usage.prompt_tokens_details ?? usage.input_tokens_details);
	const cacheRead = count(
		prompt.cached_tokens ??
			// DeepSeek's, Moonshot's, and that of proxies in front of Anthropic.
			usage.prompt_cache_hit_tokens ??
			usage.cached_tokens ??
			usage.cache_read_input_tokens,
	);
	const cacheWrite = count(
		prompt.cache_write_tokens ?? prompt.cache_creation_tokens ?? usage.cache_creation_input_tokens,
	);
	const input = count(usage.prompt_tokens ?? usage.input_tokens);
	return {
		// The prompt count includes what came from the cache; ours does not.
		input: Math.max(0, input - cacheRead - cacheWrite),
		output: readOutput(usage, input),
		cacheRead,
		cacheWrite,
	};
}

/** Thinking is part of the answer's count, except for a vendor that counts it beside: only its total shows that. */
function readOutput(usage: Json, input: number): number {
	const output = count(usage.completion_tokens ?? usage.output_tokens);
	const thinking = count(object(usage.completion_tokens_details).reasoning_tokens);
	const isBeside = count(usage.total_tokens) === input + output + thinking;
	return isBeside ? output + thinking : output;
}
